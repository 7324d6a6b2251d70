import { accepted, type ParsedValue, refused } from './parsed-value.ts'

/** Returns why PostgreSQL cannot store a text, or `null`. */
export function textFault(text: string): string | null {
  if (text.includes('\0')) return 'must not contain the NUL character'
  if (!text.isWellFormed()) return 'must be well-formed Unicode'
  return null
}

export function parseText(value: unknown): ParsedValue {
  if (typeof value !== 'string') return refused('must be a string')
  const fault = textFault(value)
  return fault === null ? accepted(value) : refused(fault)
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export const isUuid = (text: string): boolean => uuid.test(text)

export function parseUuid(value: unknown): ParsedValue {
  if (typeof value !== 'string' || !isUuid(value)) return refused('must be a UUID')
  return accepted(value.toLowerCase())
}

export function parseBoolean(value: unknown): ParsedValue {
  return typeof value === 'boolean' ? accepted(String(value)) : refused('must be true or false')
}
