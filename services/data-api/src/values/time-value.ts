import { accepted, type ParsedValue, refused } from './parsed-value.ts'

const dateForm = /^(\d{4})-(\d{2})-(\d{2})$/
const timestampForm =
  /^(\d{4}-\d{2}-\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|[+-]\d{2}:?\d{2})$/i

export function parseDate(value: unknown): ParsedValue {
  if (typeof value !== 'string' || startOfDay(value) === null) {
    return refused('must be a date, YYYY-MM-DD')
  }
  return accepted(value)
}

/** Keeps milliseconds and cuts off finer digits. */
export function parseTimestamp(value: unknown): ParsedValue {
  const at = typeof value === 'string' ? instantOf(value) : null
  if (at === null) return refused('must be an ISO 8601 time with its offset or Z')
  const text = new Date(at).toISOString()
  // ISO 8601 and PostgreSQL write years outside 0001 to 9999 differently.
  if (!/^\d{4}-/.test(text) || text.startsWith('0000')) {
    return refused('must be within the years 0001 to 9999')
  }
  return accepted(text)
}

function instantOf(text: string): number | null {
  const match = timestampForm.exec(text)
  if (match === null) return null
  const [, date = '', hours, minutes, seconds = '0', fraction = '', offset = 'Z'] = match
  const day = startOfDay(date)
  const offsetMs = offsetOf(offset)
  const [h, m, s] = [Number(hours), Number(minutes), Number(seconds)]
  if (day === null || offsetMs === null || h > 23 || m > 59 || s > 59) return null
  const ms = Number(fraction.slice(0, 3).padEnd(3, '0'))
  return day + ((h * 60 + m) * 60 + s) * 1_000 + ms - offsetMs
}

/** Returns midnight UTC of an existing day, or `null`. */
function startOfDay(text: string): number | null {
  const match = dateForm.exec(text)
  if (match === null || match[1] === '0000') return null
  const date = new Date(`${text}T00:00:00Z`)
  // JavaScript parses 30 February as 2 March.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
    ? date.getTime()
    : null
}

function offsetOf(offset: string): number | null {
  if (offset.toUpperCase() === 'Z') return 0
  const digits = offset.replace(':', '')
  const [hours, minutes] = [Number(digits.slice(1, 3)), Number(digits.slice(3, 5))]
  if (hours > 23 || minutes > 59) return null
  return (digits.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000
}
