import type { DeliveryAttempt } from '@surehook/contracts/events'
import { bitOf } from './counted-attempts.ts'
import type { LoggedJob } from './logged-job.ts'

export type LogEntries = { jobs: readonly LoggedJob[]; transitions: readonly DeliveryAttempt[] }

/** The messages of one delivery combined; does the same as the store's upsert across batches. */
export type FoldedDelivery = {
  /** A source of the fields that jobs and transitions share. */
  readonly of: LoggedJob | DeliveryAttempt
  job: LoggedJob | null
  /** The transition that decides the status. */
  last: DeliveryAttempt | null
  /** The transition that describes the last attempt; `null` if none does. */
  lastAttempt: DeliveryAttempt | null
  readonly attempts: DeliveryAttempt[]
  /** Its attempts, and an end without an attempt, as bits. */
  countable: number
  /** Its day selects the partition: `createdAt`, unless the history of that day has expired. */
  filedAt: number
}

/**
 * Returns one entry per delivery and day, sorted so that two writers lock rows in the same order.
 */
export function foldDeliveries({ jobs, transitions }: LogEntries): FoldedDelivery[] {
  const folded = new Map<string, FoldedDelivery>()
  const entryOf = (of: LoggedJob | DeliveryAttempt): FoldedDelivery => {
    // A matcher that repeats its work after midnight makes the same job with another day.
    const key = `${of.deliveryId} ${Math.floor(of.createdAt / dayMs)}`
    const known = folded.get(key)
    if (known !== undefined) return known
    const entry = {
      of,
      job: null,
      last: null,
      lastAttempt: null,
      attempts: [],
      countable: 0,
      filedAt: of.createdAt,
    }
    folded.set(key, entry)
    return entry
  }
  for (const job of jobs) entryOf(job).job ??= job
  for (const transition of transitions) {
    const entry = entryOf(transition)
    entry.last = newest(entry.last, transition)
    if (hasResult(transition)) entry.lastAttempt = newest(entry.lastAttempt, transition)
    if (transition.attempted) entry.attempts.push(transition)
    entry.countable |= bitOf(transition)
  }
  return [...folded].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry)
}

const dayMs = 86_400_000

// A delivery that can never be sent has an error without an attempt.
const hasResult = (transition: DeliveryAttempt) =>
  transition.attempted || transition.errorClass !== null

// A step is repeated if its process died in the middle. The later attempt counts.
function newest(known: DeliveryAttempt | null, transition: DeliveryAttempt): DeliveryAttempt {
  if (known === null || transition.step > known.step) return transition
  return transition.step === known.step && transition.at > known.at ? transition : known
}
