const dateForm = /^(\d{4})-(\d{2})-(\d{2})$/
const instantForm =
  /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,6}))?)?([Zz]|[+-]\d{2}:?\d{2})$/

/** Returns midnight UTC of the day in epoch milliseconds, or `null` if the day does not exist. */
function startOfDay(text: string): number | null {
  const match = dateForm.exec(text)
  if (match === null || match[1] === '0000') return null
  const at = Date.parse(`${text}T00:00:00Z`)
  // `Date.parse` reads 30 February as 2 March.
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text) ? at : null
}

export const isDate = (text: string): boolean => startOfDay(text) !== null

/**
 * Returns the instant in UTC with microseconds, a form whose text order is time order. `text` must
 * be an ISO 8601 time with an offset, or a date (midnight UTC), in the years 0001 to 9999. Returns
 * `null` otherwise.
 */
export function parseInstant(text: string): string | null {
  const [ms, micros] = dateForm.test(text) ? [startOfDay(text), '000'] : readTime(text)
  if (ms === null) return null
  const iso = new Date(ms).toISOString()
  if (!/^\d{4}-/.test(iso) || iso.startsWith('0000')) return null
  return iso.replace('Z', `${micros}Z`)
}

function readTime(text: string): [ms: number | null, micros: string] {
  const match = instantForm.exec(text)
  if (match === null) return [null, '']
  const [, date = '', hour, minute, second = '0', digits = '', offset = 'Z'] = match
  const fraction = digits.padEnd(6, '0')
  const day = startOfDay(date)
  const offsetMs = readOffset(offset)
  const [h, m, s] = [Number(hour), Number(minute), Number(second)]
  if (day === null || offsetMs === null || h > 23 || m > 59 || s > 59) return [null, '']
  const ms = ((h * 60 + m) * 60 + s) * 1000 + Number(fraction.slice(0, 3))
  return [day + ms - offsetMs, fraction.slice(3)]
}

function readOffset(text: string): number | null {
  if (text.toUpperCase() === 'Z') return 0
  const digits = text.replace(':', '')
  const [hours, minutes] = [Number(digits.slice(1, 3)), Number(digits.slice(3))]
  if (hours > 23 || minutes > 59) return null
  return (digits.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000
}
