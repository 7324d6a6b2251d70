import type { DeliveryAttempt, DeliveryJob } from '@surehook/contracts/events'

export type Told = { jobs: readonly DeliveryJob[]; moves: readonly DeliveryAttempt[] }

/** What several messages of one delivery come to; mirrors what the store's upsert does across batches. */
export type FoldedDelivery = {
  /** Whatever both kinds of messages tell. */
  readonly of: DeliveryJob | DeliveryAttempt
  job: DeliveryJob | null
  /** Decides the status. */
  last: DeliveryAttempt | null
  /** Decides what is told of the last attempt; null when none of the moves says anything of one. */
  lastAttempt: DeliveryAttempt | null
  readonly attempts: DeliveryAttempt[]
  /** The time under whose day the log keeps it: `createdAt`, unless the history of then is over. */
  filedAt: number
}

/** One entry per delivery and day, sorted so that two writers lock rows in one order. */
export function foldDeliveries({ jobs, moves }: Told): FoldedDelivery[] {
  const folded = new Map<string, FoldedDelivery>()
  const entryOf = (of: DeliveryJob | DeliveryAttempt): FoldedDelivery => {
    // A matcher that repeats its work after midnight makes the job anew.
    const key = `${of.deliveryId} ${Math.floor(of.createdAt / dayMs)}`
    const known = folded.get(key)
    if (known !== undefined) return known
    const entry = {
      of,
      job: null,
      last: null,
      lastAttempt: null,
      attempts: [],
      filedAt: of.createdAt,
    }
    folded.set(key, entry)
    return entry
  }
  for (const job of jobs) entryOf(job).job ??= job
  for (const move of moves) {
    const entry = entryOf(move)
    entry.last = newest(entry.last, move)
    if (tellsResult(move)) entry.lastAttempt = newest(entry.lastAttempt, move)
    if (move.attempted) entry.attempts.push(move)
  }
  return [...folded].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry)
}

const dayMs = 86_400_000

// A delivery that can never be sent has an error without an attempt.
const tellsResult = (move: DeliveryAttempt) => move.attempted || move.errorClass !== null

// A step is repeated when a process died in the middle of it: the later try is what went on.
function newest(known: DeliveryAttempt | null, move: DeliveryAttempt): DeliveryAttempt {
  if (known === null || move.step > known.step) return move
  return move.step === known.step && move.at > known.at ? move : known
}
