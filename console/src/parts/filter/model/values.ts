import type { ColumnType } from './columns.ts'
import { isList, type Operator, type Scalar } from './model.ts'

/** What the control of a value takes. */
export type Kind = 'text' | 'number' | 'boolean' | 'time' | 'date' | 'null'

const kindOfType: Record<Exclude<ColumnType, 'json'>, Kind> = {
  text: 'text',
  integer: 'number',
  bigint: 'number',
  double: 'number',
  decimal: 'number',
  boolean: 'boolean',
  timestamp: 'time',
  date: 'date',
  uuid: 'text',
}

const ordered: readonly Operator[] = ['gt', 'gte', 'lt', 'lte']

/**
 * The kinds of value that fit, the usual one first. One value that is null is a test of its own.
 */
export function kindsOf(type: ColumnType | null, operator: Operator): readonly Kind[] {
  if (operator === 'exists') return ['boolean']
  if (operator === 'startsWith') return ['text']
  const isOpen = type === null || type === 'json'
  if (isOpen && ordered.includes(operator)) return ['text', 'number']
  const own: readonly Kind[] = isOpen ? ['text', 'number', 'boolean'] : [kindOfType[type]]
  return isList(operator) ? [...own, 'null'] : own
}

/** The kind that a value has. It need not fit: then the API says so. */
export function kindOf(value: Scalar, kinds: readonly Kind[]): Kind {
  if (value === null) return 'null'
  if (typeof value !== 'string') return typeof value === 'number' ? 'number' : 'boolean'
  const [usual = 'text'] = kinds
  // Long numbers are strings, and so is a number that is not complete.
  return usual === 'boolean' || usual === 'null' ? 'text' : usual
}

/** A control of the kind shows the value without changing it. */
export function isShownAs(kind: Kind, value: Scalar): boolean {
  if (kind === 'null') return value === null
  if (kind === 'boolean') return typeof value === 'boolean'
  if (kind === 'number') return typeof value === 'number' || typeof value === 'string'
  return typeof value === 'string'
}

/** The value as the kind has it, or an empty one. */
export function valueAs(kind: Kind, value: Scalar): Scalar {
  switch (kind) {
    case 'null':
      return null
    case 'boolean':
      return value !== false && value !== 'false'
    case 'number': {
      const number = typeof value === 'string' ? numberIn(value) : value
      return typeof number === 'number' || isNumeric(value) ? number : ''
    }
    case 'text':
      return value === null ? '' : String(value)
    case 'time':
      return typeof value === 'string' && (localTimeOf(value) ?? '') !== '' ? value : ''
    case 'date':
      return typeof value === 'string' && isDateText(value) ? value : ''
  }
}

export const textOfValue = (value: Scalar): string => (value === null ? '' : String(value))

const numeric = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const isNumeric = (value: Scalar): boolean => typeof value === 'string' && numeric.test(value)

/** A double keeps every number of 15 digits. */
const exactDigits = 15

/** The number that a text means. A text that JSON would round, or that is no number, stays. */
export function numberIn(text: string): number | string {
  const typed = text.trim()
  const number = Number(typed)
  if (!numeric.test(typed) || !Number.isFinite(number)) return text
  const digits = typed
    .replace(/[eE].*$/, '')
    .replace(/\D/g, '')
    .replace(/^0+/, '')
  return digits.length <= exactDigits || String(number) === typed ? safe(number, text) : text
}

const safe = (number: number, text: string): number | string =>
  Number.isInteger(number) && !Number.isSafeInteger(number) ? text : number

const utc = /^(\d{4}-\d\d-\d\dT\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,3}))?)?Z$/

/** The text of a time picker, in UTC. Null if the picker cannot show the whole value. */
export function localTimeOf(value: string): string | null {
  if (value === '') return ''
  const [, minutes, seconds = '00', millis = '0'] = utc.exec(value) ?? []
  if (minutes === undefined) return null
  const rest = Number(millis) === 0 ? '' : `.${millis.padEnd(3, '0')}`
  return seconds === '00' && rest === '' ? minutes : `${minutes}:${seconds}${rest}`
}

/** The time of a picker as records have it. */
export function timeOf(local: string): string {
  const [, minutes, seconds = '00', millis = '0'] = utc.exec(`${local}Z`) ?? []
  return minutes === undefined ? local : `${minutes}:${seconds}.${millis.padEnd(3, '0')}Z`
}

export const isDateText = (value: string): boolean =>
  value === '' || /^\d{4}-\d\d-\d\d$/.test(value)

/** A value in a list. Quotes tell a text apart that looks like another kind. */
export function chipText(value: Scalar, kinds: readonly Kind[]): string {
  const isAmbiguous =
    typeof value === 'string' &&
    kinds.includes('text') &&
    kinds.length > 2 &&
    (isNumeric(value) || ['true', 'false', 'null', ''].includes(value))
  return isAmbiguous ? JSON.stringify(value) : String(value)
}
