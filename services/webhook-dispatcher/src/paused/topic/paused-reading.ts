import { nearAhead, type Scan } from '../queues/paused-run.ts'

/** The reasons to read the topic, each with its offset. */
export type ReadDemands = {
  /** Deliveries that were written and never read. */
  end: number | undefined
  /** The next deliveries that may be released. */
  release: readonly number[]
  /** The first delivery whose status `paused` is not published yet. */
  publish: number | undefined
  /** Deliveries to move to the end of the topic. */
  move: number | undefined
  /** Deliveries that an earlier owner left. */
  skipped: number | undefined
}

/** Each reason gets a turn after one batch of another. */
const turns = ['end', 'release', 'publish', 'move', 'skipped'] as const

/** Decides where the paused topic of one partition is read. */
export class PausedReading {
  #scan: Scan = { id: 0, from: 0, position: 0 }
  /** The offset of the next batch. */
  #cursor: number
  #turn = 0
  /** True if a batch was read since the present turn began. */
  #hadTurn = true
  /** The end of the last read for a release, where the next one continues. */
  #releasedAt = 0

  constructor(cursor: number) {
    this.#cursor = cursor
    this.#scan = { id: 0, from: cursor, position: cursor }
  }

  /** The range that is being read without a gap. */
  get scan(): Scan {
    return this.#scan
  }

  /** Announces a batch that was fetched from `offset`. */
  begins(offset: number): void {
    if (offset === this.#scan.position) return
    this.#scan = { id: this.#scan.id + 1, from: offset, position: offset }
  }

  ended(position: number): void {
    this.#cursor = position
    this.#hadTurn = true
    this.#scan = { ...this.#scan, position }
  }

  /** The awaited record at the end may never come, so the next reason gets its turn. */
  tick(): void {
    if (turns[this.#turn] === 'end') this.#hadTurn = true
  }

  /** Reading continues at another offset than the requested one. */
  movedTo(offset: number): void {
    this.#cursor = offset
  }

  /** @returns the offset to seek; `null` if reading continues at its position */
  next(demands: ReadDemands, frontier: number): number | null {
    const wanted = this.#choose(demands) ?? frontier
    const ahead = wanted - this.#cursor
    if (ahead >= 0 && ahead < nearAhead) return null
    this.#cursor = wanted
    return wanted
  }

  #choose(demands: ReadDemands): number | undefined {
    const first = this.#turn + (this.#hadTurn ? 1 : 0)
    for (let nth = 0; nth < turns.length; nth++) {
      const turn = (first + nth) % turns.length
      const what = turns[turn] as (typeof turns)[number]
      const wanted = what === 'release' ? this.#nextRelease(demands.release) : demands[what]
      if (wanted === undefined) continue
      this.#turn = turn
      this.#hadTurn = false
      return wanted
    }
    return undefined
  }

  /** Goes round the topic, so that no subscription waits for another with very many deliveries. */
  #nextRelease(offsets: readonly number[]): number | undefined {
    let first = Number.POSITIVE_INFINITY
    let ahead = Number.POSITIVE_INFINITY
    for (const offset of offsets) {
      first = Math.min(first, offset)
      if (offset >= this.#releasedAt) ahead = Math.min(ahead, offset)
    }
    const next = Number.isFinite(ahead) ? ahead : first
    if (!Number.isFinite(next)) return undefined
    this.#releasedAt = next + 1
    return next
  }
}
