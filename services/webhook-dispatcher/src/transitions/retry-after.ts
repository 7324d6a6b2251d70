import type { DeliveryJob } from '@surehook/contracts/events'

/** The longest wait that a receiver can ask for. */
const longestAskedMs = 3_600_000
/** All three forms of RFC 9110 §5.6.7 begin with the day of the week. */
const httpDate = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[A-Za-z]*,? /

/**
 * Returns the wait that the receiver asks for (RFC 9110 §10.2.3), at most an hour. 0 for a value
 * that is neither seconds nor a date.
 * @param at now, epoch ms
 */
export function retryAfterMs(text: string | undefined, at: number): number {
  const value = text?.trim() ?? ''
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : dateMs(value) - at
  return Math.min(longestAskedMs, Math.max(0, ms))
}

function dateMs(value: string): number {
  if (!httpDate.test(value)) return 0
  // All forms are in UTC. The form of asctime does not say so.
  const date = Date.parse(value.endsWith('GMT') ? value : `${value} GMT`)
  return Number.isNaN(date) ? 0 : date
}

/**
 * The largest tolerated difference between the clocks of two dispatchers. It is a tenth of the wait
 * if that is more.
 */
const clockSkewMs = 60_000

/**
 * Returns whether a time is too far away for the intended wait: the clock that wrote it was ahead.
 * @param waitMs as in the job
 */
export function isClockSkewed(at: number, now: number, waitMs: number): boolean {
  return at - now > waitMs + Math.max(clockSkewMs, waitMs * 0.1)
}

/** Returns the rest of the wait that a receiver asked for. 0 if a clock was ahead. */
export function waitLeftMs(
  { notBefore, waitMs }: Pick<DeliveryJob, 'notBefore' | 'waitMs'>,
  now: number,
): number {
  return isClockSkewed(notBefore, now, waitMs) ? 0 : Math.max(0, notBefore - now)
}
