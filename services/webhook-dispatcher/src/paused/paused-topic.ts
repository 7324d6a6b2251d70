import type { AssignedPartition } from '@surehook/kafka/windowed/assigned-partition'
import type { Scan } from './paused-run.ts'
import { PausedSummary } from './paused-summary.ts'

/** So many deliveries behind the last note are read at most before the others start. */
const noteEvery = 1_000

/**
 * What is known of the paused topic of one partition. An owner before has noted which subscriptions had paused
 * deliveries below an offset: the rest is read first, and then the others may start. What is below is read
 * later; until then the subscriptions of the note may have deliveries there.
 */
export class PausedTopic {
  readonly summary: PausedSummary
  readonly #assignment: AssignedPartition
  readonly #skippedBelow: number
  /** All below it was read, or skipped. */
  #readUpTo: number
  /** Up to where the last note holds. */
  #notedUpTo = 0
  #isReady = false
  #isComplete = false
  /** What is to be moved to the end, in ascending order. */
  #gaps: { from: number; to: number }[] = []
  /** The scan in which they were found: they have to be read again. */
  #gapsOf = -1

  constructor(assignment: AssignedPartition) {
    this.#assignment = assignment
    this.summary = new PausedSummary(assignment.note)
    const { upTo } = this.summary
    // A log that was cut off begins anew with whatever it has.
    if (upTo !== null && upTo > assignment.next)
      assignment.skipTo(Math.min(upTo, assignment.endAtStart))
    this.#skippedBelow = assignment.skippedFrom === null ? 0 : assignment.next
    this.#readUpTo = assignment.next
    if ((assignment.skippedFrom ?? 0) >= this.#skippedBelow) assignment.endSkipped()
    this.#look()
  }

  /** Whether all of it is known that may keep a subscription from starting. */
  get isReady(): boolean {
    return this.#isReady
  }

  /** Whether everything was read. */
  get isComplete(): boolean {
    return this.#isComplete
  }

  /** Whether what is not read yet may have deliveries of the subscription. */
  mayHave(subscriptionId: string): boolean {
    return !this.#isComplete && this.summary.mayHave(subscriptionId)
  }

  /** Whether all paused deliveries of the subscription are known. */
  knows(subscriptionId: string): boolean {
    return this.#isReady && !this.mayHave(subscriptionId)
  }

  /** What is below the offset that reading began at, and above, are of different parts. */
  partOf(offset: number): number {
    return offset < this.#skippedBelow ? 0 : 1
  }

  /** What goes with the commit. */
  note(all: { size: number; keys(): Iterable<string> }): Uint8Array | null {
    this.#notedUpTo = this.#readUpTo
    return this.summary.note(this.#readUpTo, all)
  }

  wasRead(scan: Scan): void {
    if (scan.from <= this.#readUpTo) this.#readUpTo = Math.max(this.#readUpTo, scan.position)
    const { skippedFrom } = this.#assignment
    const passed = skippedFrom !== null && scan.from <= skippedFrom
    if (passed && scan.position >= this.#skippedBelow) this.#assignment.endSkipped()
    this.#look()
    // While nothing of the topic is finished nothing else would commit.
    if (this.#isComplete && this.#readUpTo - this.#notedUpTo >= noteEvery)
      this.#assignment.dirty = true
    this.sample(scan)
  }

  /** Finds out whether deliveries have to be moved to the end, so that what is finished can be committed. */
  sample(scan: Scan): void {
    const { crowded } = this.#assignment
    if (!crowded || !this.#isComplete || this.#gaps.length > 0) return
    this.#gapsOf = scan.id
    this.#gaps = this.#assignment.gapsToClose().map(([from, to]) => ({ from, to }))
  }

  /** Where the next one stands that is to be moved. */
  moveFrom(scan: Scan): number | undefined {
    for (let gap = this.#gaps[0]; gap !== undefined; gap = this.#gaps[0]) {
      if (this.#isRead(gap, scan)) gap.from = Math.max(gap.from, scan.position)
      if (gap.from <= gap.to) return gap.from
      this.#gaps.shift()
    }
    return undefined
  }

  /** Whether the one at `offset`, which is being read, is to be moved. */
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

  /** Whether the scan reads all of it. */
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
