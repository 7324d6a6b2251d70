import {
  decodeForwarded,
  encodeForwarded,
  type ForwardedNote,
} from '@surehook/kafka/offsets/forwarded-note'
import type { AssignedPartition } from '@surehook/kafka/windowed/assigned-partition'
import type { PartitionControl } from '@surehook/kafka/windowed/partition-handler'

export type ForwardingOptions = {
  /** The assigned partition of `webhook.deliveries`. */
  deliveries: AssignedPartition
  control: Pick<PartitionControl, 'partitions' | 'commitSoon'>
  /** True if a delivery that was handed out belongs to another partition and is still here. */
  hasMoving: () => boolean
}

const sampleEveryMs = 1_000
/** For this long after partitions were added, every progress is committed at once. */
const growingMs = 600_000
/** At other times, progress is committed with finished jobs, or after this time. */
const commitEveryMs = 10_000

/**
 * Notes in the commits up to which offset the deliveries of moved endpoints have left the partition.
 * webhook-matcher sends jobs to a new partition only after the earlier ones are there.
 */
export class Forwarding {
  readonly #options: ForwardingOptions
  #reached: ForwardedNote | null = null
  #noted: ForwardedNote | null = null
  #sampledAt = Number.NEGATIVE_INFINITY
  #committedAt = Number.NEGATIVE_INFINITY
  #grownAt = Number.NEGATIVE_INFINITY
  #known: number | undefined

  constructor(options: ForwardingOptions) {
    this.#options = options
    this.#known = decodeForwarded(options.deliveries.note)?.partitions
    if (options.deliveries.isAdded) this.#grownAt = performance.now()
    options.deliveries.noteOf = () => {
      this.#noted = this.#reached
      return this.#reached && encodeForwarded(this.#reached)
    }
  }

  /** Call it several times a second. */
  sample(): void {
    const now = performance.now()
    if (now - this.#sampledAt < sampleEveryMs) return
    this.#sampledAt = now
    const { deliveries, control, hasMoving } = this.#options
    const hasBacklog = (deliveries.backlog?.waiting ?? 0) > 0
    if (control.partitions === 0 || hasBacklog || hasMoving()) return
    this.#reached = { partitions: control.partitions, below: deliveries.next }
    if (this.#mustCommit(this.#reached, now)) control.commitSoon(deliveries)
  }

  #mustCommit({ partitions, below }: ForwardedNote, now: number): boolean {
    if (this.#known !== undefined && this.#known !== partitions) this.#grownAt = now
    this.#known = partitions
    const isNoted = this.#noted?.partitions === partitions && this.#noted.below === below
    const leastMs = now - this.#grownAt < growingMs ? 0 : commitEveryMs
    if (isNoted || now - this.#committedAt < leastMs) return false
    this.#committedAt = now
    return true
  }
}
