import {
  decodeForwarded,
  encodeForwarded,
  type ForwardedNote,
} from '@surehook/kafka/offsets/forwarded-note'
import type { AssignedPartition } from '@surehook/kafka/windowed/assigned-partition'
import type { PartitionControl } from '@surehook/kafka/windowed/partition-handler'
import type { MovingDeliveries } from './moving-deliveries.ts'

export type ForwardingOptions = {
  /** The assigned partition of `webhook.deliveries`. */
  deliveries: AssignedPartition
  control: Pick<PartitionControl, 'partitions' | 'commitSoon'>
  moving: Pick<MovingDeliveries, 'leastArrival'>
}

/** For this long after partitions were added, every progress is noted and committed at once. */
const growingMs = 600_000
const growing = { sampleMs: 200, commitMs: 0 }
/** Otherwise it is committed with other progress, or after this time. */
const calm = { sampleMs: 1_000, commitMs: 10_000 }

/**
 * Notes in the commits how far the deliveries of moved endpoints have left the partition.
 * webhook-matcher sends jobs to a new partition only after the earlier ones are there. The note
 * advances although new ones arrive: it tells from which arrival on they may still be here.
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
    const { deliveries, control, moving } = this.#options
    const { partitions } = control
    if (partitions === 0) return
    const now = performance.now()
    if (this.#known !== undefined && this.#known !== partitions) this.#grownAt = now
    this.#known = partitions
    const { sampleMs, commitMs } = now - this.#grownAt < growingMs ? growing : calm
    if (now - this.#sampledAt < sampleMs) return
    this.#sampledAt = now
    const handedOut = deliveries.backlog?.leastWaiting ?? Number.POSITIVE_INFINITY
    const below = Math.min(deliveries.next, handedOut, moving.leastArrival(partitions))
    this.#reach({ partitions, below })
    if (this.#mustCommit(now, commitMs)) control.commitSoon(deliveries)
  }

  /** A retry that moves when it is due has an earlier arrival, which does not count. */
  #reach(to: ForwardedNote): void {
    const from = this.#reached?.partitions === to.partitions ? this.#reached.below : -1
    if (to.below > from) this.#reached = to
  }

  #mustCommit(now: number, commitMs: number): boolean {
    if (this.#reached === this.#noted || now - this.#committedAt < commitMs) return false
    this.#committedAt = now
    return true
  }
}
