/** `arrival`: in the order of the subscription. `offset`: on the paused topic. */
export type PausedPosition = { arrival: number; offset: number }

/** A range of the paused topic that is read without a gap: from `from`, so far up to `position`. */
export type Scan = { id: number; from: number; position: number }

/** Reading on to an offset within this distance costs less than a seek. */
export const nearAhead = 500

export type PlacingOptions = { near: number; scan: Scan }

type Stretch = { from: number; to: number }

/**
 * Deliveries of one subscription that are in order of arrival on the paused topic. Memory holds
 * only the stretches of the topic that contain some of them, and how far they were read. The rest
 * follows from the topic: a delivery belongs to the run if it arrived after the one before it.
 */
export class PausedRun {
  /** The number that the writer gave it. */
  readonly id: number
  /** Starts at the first unread delivery. */
  #stretches: Stretch[] = []
  /** The arrival of the last delivery that was placed. */
  #last = -1
  /** The arrival of the last delivery that was read for its release. */
  #read = -1
  #least = 0
  /** The scan in which the next delivery found no room. Later ones in it must not be taken. */
  #refusedIn = -1

  constructor(id: number) {
    this.id = id
  }

  get isRead(): boolean {
    return this.#stretches.length === 0
  }

  /** A lower bound for the arrivals of unread deliveries. */
  get leastArrival(): number {
    return this.#least
  }

  get lastArrival(): number {
    return this.#last
  }

  /** A lower bound for the offsets of unread deliveries. */
  get next(): number {
    return this.#stretches[0]?.from ?? Number.POSITIVE_INFINITY
  }

  get stretches(): number {
    return this.#stretches.length
  }

  /**
   * Adds a delivery that was read for the first time.
   * @param near two deliveries at most this far apart are read together
   * @returns `next` if nothing unread of the run is before it; `broken` if it arrived before the
   * last one
   */
  place(
    { arrival, offset }: PausedPosition,
    { near, scan }: PlacingOptions,
  ): 'next' | 'behind' | 'broken' {
    if (arrival <= this.#last) return 'broken'
    const isNext = this.isRead
    if (isNext) this.#least = arrival
    this.#last = arrival
    // Later deliveries of this scan are not the next until this one is taken.
    this.#refusedIn = scan.id
    const last = this.#stretches.at(-1)
    if (last !== undefined && offset - last.to <= near) last.to = offset
    else this.#stretches.push({ from: offset, to: offset })
    return isNext ? 'next' : 'behind'
  }

  /** Returns whether it is the next delivery of the run, with nothing unread before it. */
  isNext({ arrival, offset }: PausedPosition, scan: Scan): boolean {
    if (this.isRead || this.#refusedIn === scan.id || scan.from > this.next) return false
    return offset >= this.next && arrival > this.#read
  }

  /** Call it when the next delivery was read. */
  read({ arrival, offset }: PausedPosition): void {
    this.#read = arrival
    this.#least = arrival + 1
    this.#dropBelow(offset + 1)
  }

  /** Call it when the next delivery has to be read again. */
  refuse({ arrival, offset }: PausedPosition, scan: Scan): void {
    this.#least = arrival
    this.#refusedIn = scan.id
    this.#dropBelow(offset)
  }

  /** Marks the deliveries from `first` up to the offset `last` as unread again. */
  rewind(first: PausedPosition, last: number, scan: Scan): void {
    this.#read = first.arrival - 1
    this.#least = first.arrival
    this.#refusedIn = scan.id
    this.#stretches.unshift({ from: first.offset, to: last })
  }

  /** Drops the range of the scan: every delivery of the run in it was read, or has gone. */
  passedBy(scan: Scan): void {
    if (this.#refusedIn !== scan.id && scan.from <= this.next) this.#dropBelow(scan.position)
  }

  /** Merges stretches that are at most `near` apart. */
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
