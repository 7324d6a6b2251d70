import type { Receiver } from '@surehook/scripts/receiver/receiver'
import type { Subscriber } from '../../support/deliveries/ledger.ts'

export type Repetitions = {
  subscriber: string
  deliveries: number
  /** Deliveries that came again though the receiver had taken them. */
  repeated: number
  /** Of those: first taken while the fault lasted, or so shortly before that nobody could have written it down. */
  inFlight: number
  /** How long before the fault the first of the repeated ones was taken. */
  earliestMs: number
}

/** While something waits longer for its commit the dispatcher starts nothing; on a quiet machine it is 25 ms. */
const uncommittedMs = 1_000

/** Counted at the receiver, whatever the product itself has written down. */
export function countRepetitions(
  receiver: Receiver,
  subscribers: readonly Subscriber[],
  fault: { from: number; until: number },
): Repetitions[] {
  return subscribers.map(({ name, path, refused }) => {
    const takenAt = new Map<string, number[]>()
    for (const { at, headers } of receiver.receipts(path)) {
      const event = headers['x-service-delivery'] ?? ''
      takenAt.set(event, [...(takenAt.get(event) ?? []), at])
    }
    let [repeated, inFlight, earliestMs] = [0, 0, 0]
    for (const [event, times] of takenAt) {
      // Those that were refused came first.
      const [first = 0, ...more] = times.slice(refused.get(event) ?? 0)
      repeated += more.length
      if (more.length > 0) earliestMs = Math.max(earliestMs, fault.from - first)
      const isInFlight = first >= fault.from - uncommittedMs && first <= fault.until
      if (isInFlight) inFlight += more.length
    }
    return { subscriber: name, deliveries: takenAt.size, repeated, inFlight, earliestMs }
  })
}
