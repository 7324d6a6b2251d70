import type { AssignedPartition } from '@surehook/kafka/windowed/assigned-partition'

/** Far more than is on its way to a healthy Kafka at full speed. */
const maxUnsettled = 128

/**
 * The outcomes of one partition that Kafka does not hold yet, or whose offsets are not committed: what
 * a crash would repeat. While they are many, nothing starts, so that their number is bounded also
 * when Kafka is slow or away.
 */
export class Unsettled {
  readonly #assignments: ReadonlyMap<string, AssignedPartition>
  #recording = 0
  #refused = false

  constructor(assignments: ReadonlyMap<string, AssignedPartition>) {
    this.#assignments = assignments
  }

  /** Whether an attempt may start; a `false` is remembered for `hasRoomAgain`. */
  get hasRoom(): boolean {
    let unsettled = this.#recording
    for (const assignment of this.#assignments.values()) unsettled += assignment.uncommitted
    if (unsettled < maxUnsettled) return true
    this.#refused = true
    return false
  }

  /** True once after a start was refused, when a slot is free. */
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
