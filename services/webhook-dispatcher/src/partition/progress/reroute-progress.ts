import {
  decodeRerouted,
  encodeRerouted,
  type ReroutedNote,
} from '@surehook/kafka/offsets/rerouted-note'
import type { AssignedPartition } from '@surehook/kafka/windowed/assigned-partition'
import type { PartitionControl } from '@surehook/kafka/windowed/partition-handler'
import type { RerouteBacklog } from './reroute-backlog.ts'

export type RerouteProgressOptions = {
  /** The assigned partition of `webhook.deliveries`. */
  deliveries: AssignedPartition
  control: Pick<PartitionControl, 'partitions' | 'commitSoon'>
  toReroute: Pick<RerouteBacklog, 'leastArrival'>
}

/** For this long after partitions were added, every progress is noted and committed at once. */
const growingMs = 600_000
const growing = { sampleMs: 200, commitMs: 0 }
/** Otherwise it is committed with other progress, or after this time. */
const calm = { sampleMs: 1_000, commitMs: 10_000 }

/**
 * Notes in the commits how far the deliveries of rerouted endpoints have left the partition.
 * webhook-matcher sends jobs to a new partition only after the earlier ones are there. The note
 * advances although new ones arrive: it tells from which arrival on they may still be here.
 */
export class RerouteProgress {
  readonly #options: RerouteProgressOptions
  #reached: ReroutedNote | null = null
  #noted: ReroutedNote | null = null
  #sampledAt = Number.NEGATIVE_INFINITY
  #committedAt = Number.NEGATIVE_INFINITY
  #grownAt = Number.NEGATIVE_INFINITY
  #known: number | undefined

  constructor(options: RerouteProgressOptions) {
    this.#options = options
    this.#known = decodeRerouted(options.deliveries.note)?.partitions
    if (options.deliveries.isAdded) this.#grownAt = performance.now()
    options.deliveries.noteOf = () => {
      this.#noted = this.#reached
      return this.#reached && encodeRerouted(this.#reached)
    }
  }

  /** Call it several times a second. */
  sample(): void {
    const { deliveries, control, toReroute } = this.#options
    const { partitions } = control
    if (partitions === 0) return
    const now = performance.now()
    if (this.#known !== undefined && this.#known !== partitions) this.#grownAt = now
    this.#known = partitions
    const { sampleMs, commitMs } = now - this.#grownAt < growingMs ? growing : calm
    if (now - this.#sampledAt < sampleMs) return
    this.#sampledAt = now
    const handedOut = deliveries.backlog?.leastWaiting ?? Number.POSITIVE_INFINITY
    const below = Math.min(deliveries.next, handedOut, toReroute.leastArrival(partitions))
    this.#reach({ partitions, below })
    if (this.#mustCommit(now, commitMs)) control.commitSoon(deliveries)
  }

  /** A retry that is rerouted when it is due has an earlier arrival, which does not count. */
  #reach(to: ReroutedNote): void {
    const from = this.#reached?.partitions === to.partitions ? this.#reached.below : -1
    if (to.below > from) this.#reached = to
  }

  #mustCommit(now: number, commitMs: number): boolean {
    if (this.#reached === this.#noted || now - this.#committedAt < commitMs) return false
    this.#committedAt = now
    return true
  }
}
