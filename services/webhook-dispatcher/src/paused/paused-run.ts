/** Where a delivery stands: its place in the order of its subscription, and its offset on the paused topic. */
export type Place = { arrival: number; offset: number }

/** What is read of the paused topic without a gap: from `from`, so far up to `position`. */
export type Scan = { id: number; from: number; position: number }

export type Placing = { near: number; scan: Scan }

type Stretch = { from: number; to: number }

/**
 * Deliveries of one subscription that stand on the paused topic in the order of their arrival. Memory holds
 * only where they stand: stretches of the topic that have some of them, and how far they were read.
 * The topic tells the rest: a delivery belongs to the run when it arrived after the one before it.
 */
export class PausedRun {
  /** As the writer named it. */
  readonly id: number
  /** From the first unread delivery on. */
  #stretches: Stretch[] = []
  /** The arrival of the last one that was placed. */
  #last = -1
  /** The arrival of the last one that was read for its release. */
  #read = -1
  #least = 0
  /** The scan in which the next one found no room: those behind it must not be taken. */
  #refusedIn = -1

  constructor(id: number) {
    this.id = id
  }

  get isRead(): boolean {
    return this.#stretches.length === 0
  }

  /** No unread delivery has arrived before. */
  get leastArrival(): number {
    return this.#least
  }

  get lastArrival(): number {
    return this.#last
  }

  /** No unread delivery stands before it. */
  get next(): number {
    return this.#stretches[0]?.from ?? Number.POSITIVE_INFINITY
  }

  get stretches(): number {
    return this.#stretches.length
  }

  /**
   * A delivery was read for the first time.
   * @param near two that are no further apart are read in one go
   * @returns `next` when nothing unread of the run stands before it; `broken` when it arrived before the last one
   */
  place({ arrival, offset }: Place, { near, scan }: Placing): 'next' | 'behind' | 'broken' {
    if (arrival <= this.#last) return 'broken'
    const isNext = this.isRead
    if (isNext) this.#least = arrival
    this.#last = arrival
    // Those that come later in this scan are not the next, as long as this one is not taken.
    this.#refusedIn = scan.id
    const last = this.#stretches.at(-1)
    if (last !== undefined && offset - last.to <= near) last.to = offset
    else this.#stretches.push({ from: offset, to: offset })
    return isNext ? 'next' : 'behind'
  }

  /** Whether it is the next of the run, with nothing unread before it. */
  isNext({ arrival, offset }: Place, scan: Scan): boolean {
    if (this.isRead || this.#refusedIn === scan.id || scan.from > this.next) return false
    return offset >= this.next && arrival > this.#read
  }

  /** The next one was read. */
  read({ arrival, offset }: Place): void {
    this.#read = arrival
    this.#least = arrival + 1
    this.#dropBelow(offset + 1)
  }

  /** The next one has to be read again. */
  refuse({ arrival, offset }: Place, scan: Scan): void {
    this.#least = arrival
    this.#refusedIn = scan.id
    this.#dropBelow(offset)
  }

  /** What was read from `first` on, up to `last`, has to be read again. */
  rewind(first: Place, last: number, scan: Scan): void {
    this.#read = first.arrival - 1
    this.#least = first.arrival
    this.#refusedIn = scan.id
    this.#stretches.unshift({ from: first.offset, to: last })
  }

  /** Whatever of the run stood in the scan was read, or has gone. */
  passedBy(scan: Scan): void {
    if (this.#refusedIn !== scan.id && scan.from <= this.next) this.#dropBelow(scan.position)
  }

  /** Makes fewer stretches of them. */
  coalesce(near: number): void {
    const stretches: Stretch[] = []
    for (const { from, to } of this.#stretches) {
      const last = stretches.at(-1)
      if (last !== undefined && from - last.to <= near) last.to = to
      else stretches.push({ from, to })
    }
    this.#stretches = stretches
  }

  #dropBelow(offset: number): void {
    const kept = this.#stretches.findIndex(({ to }) => to >= offset)
    if (kept !== 0) this.#stretches.splice(0, kept < 0 ? this.#stretches.length : kept)
    const first = this.#stretches[0]
    if (first !== undefined) first.from = Math.max(first.from, offset)
  }
}
