import type { Table } from '@surehook/client'
import type { JsonObject } from '../../parts/forms/json-object.ts'

type Column = Table['columns'][number]
type ControlKind = 'text' | 'number' | 'boolean' | 'time' | 'date' | 'json'

/** Long numbers are text, so that no digit is lost. */
const controls: Readonly<Record<Column['type'], ControlKind>> = {
  text: 'text',
  integer: 'number',
  bigint: 'text',
  double: 'number',
  decimal: 'text',
  boolean: 'boolean',
  timestamp: 'time',
  date: 'date',
  uuid: 'text',
  json: 'json',
}

export const controlOf = (type: Column['type']): ControlKind => controls[type]

/** What an empty control means: the empty text, null, or nothing, which takes the default. */
export function unsetOf({ type, required }: Column, isNew: boolean): '' | null | undefined {
  if (required && type === 'text') return ''
  return isNew ? undefined : null
}

/** Such as `text, required` or `decimal. Empty: 0`. */
export function hintOf(column: Column, isNew: boolean): string {
  const { type, required } = column
  const hint = required ? `${type}, required` : type
  const unset = unsetOf(column, isNew)
  if (unset === undefined && column.default !== null) {
    return `${hint}. Empty: ${JSON.stringify(column.default)}`
  }
  return required ? hint : `${hint}. Empty: null`
}

/** Undefined takes the field away. */
export function withField(fields: JsonObject, name: string, value: unknown): JsonObject {
  const { [name]: _, ...others } = fields
  return value === undefined ? others : { ...fields, [name]: value }
}

/** What an input shows of a value. */
export function scalarOf(value: unknown): string | number {
  if (typeof value === 'number' || typeof value === 'string') return value
  return value === null || value === undefined ? '' : JSON.stringify(value)
}

/** The value of JSON text. An empty text has none. */
export function jsonIn(text: string): { value: unknown } | null {
  if (text.trim() === '') return { value: '' }
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    // The user is typing.
    return null
  }
}

export const jsonTextOf = (value: unknown): string =>
  value === null || value === undefined ? '' : JSON.stringify(value, null, 2)
