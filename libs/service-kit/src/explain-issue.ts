import type * as z from 'zod'

type RawIssue = z.core.$ZodRawIssue

const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
  date: 'a date',
  bigint: 'a whole number',
}

const formatNames: Readonly<Record<string, string>> = {
  url: 'a URL',
  email: 'an e-mail address',
  uuid: 'a UUID',
  datetime: 'an ISO 8601 date and time such as 2026-01-31T12:00:00Z',
  date: 'a date such as 2026-01-31',
  time: 'a time such as 12:00:00',
  base64: 'base64',
  base64url: 'base64url',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
  json_string: 'JSON text',
}

/**
 * Message of a zod issue for the developer who sent the value. It continues a sentence that begins
 * with the field's name.
 */
export function explainIssue(issue: RawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : `must be ${typeName(issue.expected)}`
    case 'invalid_value':
      return issue.input === undefined ? 'is required' : `must be ${oneOf(issue.values)}`
    case 'invalid_format':
      return explainFormat(issue)
    case 'too_small':
      return `must ${size(issue.origin, Number(issue.minimum), words('at least', 'more than', issue))}`
    case 'too_big':
      return `must ${size(issue.origin, Number(issue.maximum), words('at most', 'less than', issue))}`
    case 'not_multiple_of':
      return `must be a multiple of ${String(issue.divisor)}`
    case 'invalid_union':
      return issue.input === undefined ? 'is required' : explainUnion(issue)
    case 'unrecognized_keys':
      return 'has unknown fields'
    case 'invalid_key':
      return 'has a name that is not accepted'
    case 'invalid_element':
      return 'has an element that is not valid'
    default:
      return issue.message ?? 'is not valid'
  }
}

function typeName(expected: string): string {
  return typeNames[expected] ?? `of type ${expected}`
}

function oneOf(values: readonly unknown[]): string {
  const names = values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
  return names.length === 1 ? String(names[0]) : `one of ${names.join(', ')}`
}

function explainFormat(issue: RawIssue): string {
  const details = issue as { format?: string; prefix?: string; suffix?: string; includes?: string }
  if (details.format === 'starts_with') return `must start with "${details.prefix}"`
  if (details.format === 'ends_with') return `must end with "${details.suffix}"`
  if (details.format === 'includes') return `must contain "${details.includes}"`
  const name = formatNames[details.format ?? '']
  return name === undefined ? 'has a form that is not accepted' : `must be ${name}`
}

const units: Readonly<Record<string, readonly [one: string, many: string]>> = {
  string: ['character', 'characters'],
  array: ['element', 'elements'],
  set: ['element', 'elements'],
  object: ['field', 'fields'],
  record: ['field', 'fields'],
}

const words = (inclusive: string, exclusive: string, issue: { inclusive?: boolean }) =>
  issue.inclusive === false ? exclusive : inclusive

/** `have at least 1 character`, `be at most 5`. */
function size(origin: string, limit: number, bound: string): string {
  const unit = units[origin]
  if (unit === undefined) return `be ${bound} ${limit}`
  return `have ${bound} ${limit} ${unit[limit === 1 ? 0 : 1]}`
}

function explainUnion(issue: RawIssue): string {
  const { options } = issue as { options?: unknown }
  return Array.isArray(options) ? `must be ${oneOf(options)}` : 'is not valid'
}
