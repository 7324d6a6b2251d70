import { parseDuration } from '@surehook/service-kit/time'

/** A configured delay: its name is also the end of its topic's name. */
export type RetryDelay = { name: string; ms: number }

/** The delays that have a topic, ascending; at least one. */
export type RetryLadder = readonly RetryDelay[]

/** The largest step that is not longer; the smallest, if all of them are. */
function stepOf(ladder: RetryLadder, waitMs: number): RetryDelay {
  const step = ladder.findLast(({ ms }) => ms <= waitMs) ?? ladder[0]
  if (step === undefined) throw new Error('a ladder without steps')
  return step
}

/** A schedule as the ladder has it now: what was taken off it since gives way to the next shorter step. */
export const stepsOf = (ladder: RetryLadder, delays: readonly string[]): RetryDelay[] =>
  delays.map((delay) => stepOf(ladder, parseDuration(delay)))

/** On its way to a time: the topic to wait on, and until when. */
export type Hop = { delay: RetryDelay; dueAt: number }

/**
 * The largest step that is not longer than the wait: on a topic the jobs come one after the other, so that one
 * that waits longer than its topic's delay would hold up those behind it.
 */
export function nextHop(ladder: RetryLadder, at: number, notBefore: number): Hop {
  const left = notBefore - at
  const delay = stepOf(ladder, left)
  // With jitter others on the topic wait as long.
  const isLast = left <= delay.ms * 1.1
  return { delay, dueAt: isLast ? notBefore : at + delay.ms }
}
