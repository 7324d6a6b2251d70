/** A receiver may ask for no more. */
const longestMs = 3_600_000
/** RFC 9110 §5.6.7: three forms, all of them begin with the day of the week. */
const httpDate = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[A-Za-z]*,? /

/**
 * How long the receiver asks to wait: RFC 9110 §10.2.3, at most an hour. 0 for what is neither seconds nor a date.
 * @param at now, epoch ms
 */
export function retryAfterMs(text: string | undefined, at: number): number {
  const value = text?.trim() ?? ''
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : dateMs(value) - at
  return Math.min(longestMs, Math.max(0, ms))
}

function dateMs(value: string): number {
  if (!httpDate.test(value)) return 0
  // All of them are in UTC; asctime does not say so.
  const date = Date.parse(value.endsWith('GMT') ? value : `${value} GMT`)
  return Number.isNaN(date) ? 0 : date
}

/**
 * What is left of the wait that a receiver asked for. Of whoever wrote `notBefore` the clock may have been
 * ahead: what nobody can have asked for counts as nothing.
 */
export function waitLeftMs(notBefore: number, now: number): number {
  const left = notBefore - now
  return left > 0 && left <= longestMs * 1.1 ? left : 0
}
