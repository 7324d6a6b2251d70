import type { AssignedPartition } from '@surehook/kafka/windowed/assigned-partition'
import type { Delivery } from '../../delivery/delivery.ts'
import type { Scan } from '../queues/paused-run.ts'
import { PausedSummary, type Subscriptions } from './paused-summary.ts'

/** At most this many deliveries above the last note are read before others start. */
const noteEvery = 1_000

/**
 * The progress on the paused topic of one partition. A previous owner has noted which subscriptions
 * had paused deliveries below an offset. Deliveries above it are read first; then others may start.
 * Those below are read later, and until then the noted subscriptions may have deliveries there.
 */
export class PausedTopic {
  readonly summary: PausedSummary
  readonly #assignment: AssignedPartition
  readonly #skippedBelow: number
  /** Everything below this offset was read or skipped. */
  #readUpTo: number
  /** The offset of the last note. */
  #notedUpTo = 0
  #isReady = false
  #isComplete = false
  /** The ranges to move to the end, in ascending order. */
  #gaps: { from: number; to: number }[] = []
  /** The scan that found the gaps. Their deliveries have to be read again. */
  #gapsOf = -1

  constructor(assignment: AssignedPartition) {
    this.#assignment = assignment
    this.summary = new PausedSummary(assignment.note)
    const { upTo } = this.summary
    // If the log was truncated, reading starts at its present beginning.
    if (upTo !== null && upTo > assignment.next)
      assignment.skipTo(Math.min(upTo, assignment.endAtStart))
    this.#skippedBelow = assignment.skippedFrom === null ? 0 : assignment.next
    this.#readUpTo = assignment.next
    if ((assignment.skippedFrom ?? 0) >= this.#skippedBelow) assignment.endSkipped()
    this.#look()
  }

  /** True if everything is known that may keep a subscription from starting. */
  get isReady(): boolean {
    return this.#isReady
  }

  /** True if everything was read. */
  get isComplete(): boolean {
    return this.#isComplete
  }

  /** Returns whether the unread part may have deliveries of the subscription. */
  mayHave(subscriptionId: string): boolean {
    return !this.#isComplete && this.summary.mayHave(subscriptionId)
  }

  /** Returns whether all paused deliveries of the subscription are known. */
  knows(subscriptionId: string): boolean {
    return this.#isReady && !this.mayHave(subscriptionId)
  }

  /** The parts below and above the offset at which reading began are different. */
  partOf(offset: number): number {
    return offset < this.#skippedBelow ? 0 : 1
  }

  /**
   * Returns the note for the commit.
   * @param released their attempts may not have ended: later ones wait for them at the next owner
   */
  note(queues: Subscriptions, released: Iterable<{ delivery: Delivery }>): Uint8Array | null {
    this.#notedUpTo = this.#readUpTo
    return this.summary.note(this.#readUpTo, {
      size: queues.size,
      *keys() {
        yield* queues.keys()
        for (const { delivery } of released) yield delivery.job.subscriptionId
      },
    })
  }

  wasRead(scan: Scan): void {
    if (scan.from <= this.#readUpTo) this.#readUpTo = Math.max(this.#readUpTo, scan.position)
    const { skippedFrom } = this.#assignment
    const passed = skippedFrom !== null && scan.from <= skippedFrom
    if (passed && scan.position >= this.#skippedBelow) this.#assignment.endSkipped()
    this.#look()
    // While nothing on the topic is finished, no other change causes a commit.
    if (this.#isComplete && this.#readUpTo - this.#notedUpTo >= noteEvery)
      this.#assignment.dirty = true
    this.sample(scan)
  }

  /**
   * Finds out whether deliveries have to move to the end so that finished ones can be committed.
   */
  sample(scan: Scan): void {
    const { crowded } = this.#assignment
    if (!crowded || !this.#isComplete || this.#gaps.length > 0) return
    this.#gapsOf = scan.id
    this.#gaps = this.#assignment.gapsToClose().map(([from, to]) => ({ from, to }))
  }

  /** Returns the offset of the next delivery to move. */
  moveFrom(scan: Scan): number | undefined {
    for (let gap = this.#gaps[0]; gap !== undefined; gap = this.#gaps[0]) {
      if (this.#isRead(gap, scan)) gap.from = Math.max(gap.from, scan.position)
      if (gap.from <= gap.to) return gap.from
      this.#gaps.shift()
    }
    return undefined
  }

  /** Returns whether the delivery being read at `offset` has to move. */
  movesAt(offset: number, scan: Scan): boolean {
    while (this.#gaps[0] !== undefined && this.#gaps[0].to < offset) {
      if (!this.#isRead(this.#gaps[0], scan)) return false
      this.#gaps.shift()
    }
    const gap = this.#gaps[0]
    if (gap === undefined || offset < gap.from || !this.#isRead(gap, scan)) return false
    gap.from = offset + 1
    return true
  }

  /** Returns whether the scan reads the whole gap. */
  #isRead({ from }: { from: number }, scan: Scan): boolean {
    return scan.id !== this.#gapsOf && scan.from <= from
  }

  #look(): void {
    this.#isReady ||= this.#readUpTo >= this.#assignment.endAtStart
    if (this.#isComplete || !this.#isReady || this.#assignment.skippedFrom !== null) return
    this.#isComplete = true
    this.summary.complete()
  }
}
