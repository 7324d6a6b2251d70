import type { Receiver } from '@surehook/scripts/receiver/receiver'
import type { Subscriber } from '../../support/ledger.ts'

export type Repetitions = {
  subscriber: string
  deliveries: number
  /** Deliveries that came again though the receiver had taken them. */
  repeated: number
  /** Of those: first taken while the fault lasted, or so shortly before that nobody could have written it down. */
  inFlight: number
}

/** An outcome is committed within 25 ms of Kafka's acknowledgement; a busy machine takes its time. */
const uncommittedMs = 2_000

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
    let [repeated, inFlight] = [0, 0]
    for (const [event, times] of takenAt) {
      // Those that were refused came first.
      const [first = 0, ...more] = times.slice(refused.get(event) ?? 0)
      repeated += more.length
      const isInFlight = first >= fault.from - uncommittedMs && first <= fault.until
      if (isInFlight) inFlight += more.length
    }
    return { subscriber: name, deliveries: takenAt.size, repeated, inFlight }
  })
}
