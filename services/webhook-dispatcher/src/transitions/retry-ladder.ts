import type { DeliveryJob } from '@surehook/contracts/events'
import { parseDuration } from '@surehook/service-kit/time'
import { isClockSkewed, waitLeftMs } from './retry-after.ts'

/** A configured delay. Its name is also the end of its topic's name. */
export type RetryDelay = { name: string; ms: number }

/** The delays that have a topic, ascending. At least one. */
export type RetryLadder = readonly RetryDelay[]

/**
 * Returns the longest delay that is not longer than the wait. If all are longer, it returns the
 * shortest.
 */
function delayOf(ladder: RetryLadder, waitMs: number): RetryDelay {
  const delay = ladder.findLast(({ ms }) => ms <= waitMs) ?? ladder[0]
  if (delay === undefined) throw new Error('a ladder without delays')
  return delay
}

/**
 * Maps a schedule to the ladder. If the ladder no longer has a delay, the next shorter one replaces
 * it.
 */
export const delaysOf = (ladder: RetryLadder, delays: readonly string[]): RetryDelay[] =>
  delays.map((delay) => delayOf(ladder, parseDuration(delay)))

/** The topic on which a job waits next, and until when. */
export type Hop = { delay: RetryDelay; dueAt: number }

/**
 * Chooses the longest delay that is not longer than the wait. Jobs leave a topic in order, so a job
 * that waits longer than its topic's delay would hold up the jobs behind it.
 */
export function nextHop(ladder: RetryLadder, at: number, notBefore: number): Hop {
  const left = notBefore - at
  const delay = delayOf(ladder, left)
  // Other jobs on the topic may wait as long, because of jitter.
  const isLast = left <= delay.ms * 1.1
  return { delay, dueAt: isLast ? notBefore : at + delay.ms }
}

type RetryTimes = Pick<DeliveryJob, 'dueAt' | 'notBefore' | 'waitMs'>

/**
 * Returns when a retry that waits in the order of its record is due. 0: at once, also if the clock
 * of the dispatcher that wrote the time was ahead.
 */
export function retryDueAt(job: RetryTimes, now: number): number {
  const { dueAt, notBefore, waitMs } = job
  const at = waitLeftMs(job, now) > 0 ? Math.max(dueAt, notBefore) : dueAt
  return isClockSkewed(at, now, waitMs) ? 0 : at
}
