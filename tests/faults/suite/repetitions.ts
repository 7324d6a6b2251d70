import type { Receiver } from '@surehook/scripts/receiver/receiver'
import type { Subscriber } from '../../support/deliveries/subscribers.ts'

export type Repetitions = {
  subscriber: string
  deliveries: number
  /** Deliveries that came again although the receiver had accepted them. */
  repeated: number
  /**
   * Those of them that were first accepted during the fault, or so shortly before that their
   * offsets could not be committed.
   */
  inFlight: number
  /** How long before the fault the first of the repeated deliveries was accepted. */
  earliestMs: number
}

/**
 * The dispatcher starts nothing while offsets wait longer than this for their commit. On a quiet
 * machine they wait 25 ms.
 */
const uncommittedMs = 1_000

/** Counts at the receiver, independently of the product's own records. */
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
      // The refused tries came first.
      const [first = 0, ...more] = times.slice(refused.get(event) ?? 0)
      repeated += more.length
      if (more.length > 0) earliestMs = Math.max(earliestMs, fault.from - first)
      const isInFlight = first >= fault.from - uncommittedMs && first <= fault.until
      if (isInFlight) inFlight += more.length
    }
    return { subscriber: name, deliveries: takenAt.size, repeated, inFlight, earliestMs }
  })
}
