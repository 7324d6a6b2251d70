import type { CommitPosition, Taken } from './offset-tracker.ts'
import { OffsetTracker } from './offset-tracker.ts'

/** One topic-partition that this process owns: what is open, how much memory it holds. */
export class PartitionLane {
  readonly topic: string
  readonly partition: number
  /** Aborted when the partition is taken away or the consumer stops. */
  readonly lease: AbortSignal
  readonly #revoked = new AbortController()
  readonly #tracker: OffsetTracker
  /** Offsets below it were finished before this process owned the lane. */
  readonly committed: number
  /** The end of the log when the lane was assigned. */
  readonly endAtStart: number
  /** Finished here since what the last successful commit covers. */
  uncommitted = 0
  #held = new Map<number, number>()
  #heldBytes = 0
  #next: number
  paused = false
  dirty = false
  /**
   * The finished offsets above the commit no longer fit into its metadata, or few open ones keep very
   * many: the oldest open one must move.
   */
  crowded = false

  constructor(at: {
    topic: string
    partition: number
    committed: number
    /** The first offset that the log still has; that of the commit when absent. */
    logStart?: number
    metadata: string | null
    end: number
  }) {
    this.topic = at.topic
    this.partition = at.partition
    this.committed = at.committed
    this.endAtStart = at.end
    this.#next = Math.max(at.committed, at.logStart ?? at.committed)
    this.#tracker = new OffsetTracker(at.committed, at.metadata)
    this.lease = this.#revoked.signal
  }

  get held(): number {
    return this.#held.size
  }

  get heldBytes(): number {
    return this.#heldBytes
  }

  get open(): number {
    return this.#tracker.open
  }

  /** Lowest offset that is not finished. */
  get low(): number {
    return this.#tracker.low
  }

  /** The first offset that was never read here. */
  get next(): number {
    return this.#next
  }

  take(offset: number, bytes: number): Taken {
    if (offset >= this.#next) this.#next = offset + 1
    const taken = this.#tracker.take(offset)
    if (taken === 'finished') this.dirty = true
    if (taken === 'new') this.#hold(offset, bytes)
    return taken
  }

  finish(offset: number): void {
    this.detach(offset)
    this.#tracker.finish(offset)
    this.uncommitted++
    this.dirty = true
  }

  /** The message stays open but no longer counts as held in memory. */
  detach(offset: number): void {
    const bytes = this.#held.get(offset)
    if (bytes === undefined) return
    this.#held.delete(offset)
    this.#heldBytes -= bytes
  }

  position(): CommitPosition {
    const position = this.#tracker.position()
    this.crowded = !position.complete || this.#tracker.sparse
    return position
  }

  revoke(reason: string): void {
    this.#revoked.abort(reason)
  }

  #hold(offset: number, bytes: number): void {
    this.#held.set(offset, bytes)
    this.#heldBytes += bytes
  }
}
