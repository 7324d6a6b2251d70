import type { AssignedPartition } from '@surehook/kafka/windowed/assigned-partition'

/** Far more than a healthy Kafka leaves unacknowledged at full speed. */
const maxUnsettled = 128

/**
 * Counts the outcomes of one partition that Kafka has not acknowledged, or whose offsets are not
 * committed: a crash would repeat them. At the limit nothing starts, so the number stays bounded
 * while Kafka is slow or down.
 */
export class UnsettledOutcomes {
  readonly #assignments: ReadonlyMap<string, AssignedPartition>
  #recording = 0
  #refused = false

  constructor(assignments: ReadonlyMap<string, AssignedPartition>) {
    this.#assignments = assignments
  }

  /** True if an attempt may start. A `false` is remembered for `hasRoomAgain`. */
  get hasRoom(): boolean {
    let unsettled = this.#recording
    for (const assignment of this.#assignments.values()) unsettled += assignment.uncommitted
    if (unsettled < maxUnsettled) return true
    this.#refused = true
    return false
  }

  /** Returns true once, after a start was refused and a slot has become free. */
  hasRoomAgain(): boolean {
    if (!this.#refused) return false
    this.#refused = false
    return this.hasRoom
  }

  /** Counts an outcome until Kafka has acknowledged it. */
  async recorded<T>(acknowledged: Promise<T>): Promise<T> {
    this.#recording++
    try {
      return await acknowledged
    } finally {
      this.#recording--
    }
  }
}
