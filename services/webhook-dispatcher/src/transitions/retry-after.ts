import type { RetryDelay } from './decide-next-attempt.ts'

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

/** On its way to a time: the topic to wait on, and until when. */
export type Hop = { delay: RetryDelay; dueAt: number }

/**
 * The largest step of the ladder that is not longer than the wait: on a topic the jobs come one after the
 * other, so that one on a longer step would hold up those behind it. The smallest step for a shorter wait.
 * @param ladder ascending
 */
export function nextHop(ladder: readonly RetryDelay[], at: number, notBefore: number): Hop {
  const left = notBefore - at
  const delay = ladder.findLast(({ ms }) => ms <= left) ?? ladder[0]
  if (delay === undefined) throw new Error('a ladder without steps')
  // With jitter others on the topic wait as long.
  const isLast = left <= delay.ms * 1.1
  return { delay, dueAt: isLast ? notBefore : at + delay.ms }
}
