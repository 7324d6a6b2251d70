import type { Scan } from './paused-run.ts'

/** Reading on to an offset so near costs less than seeking to it. */
export const nearAhead = 500

/** Why the topic is to be read, and from where. */
export type Demands = {
  /** What was written and never read. */
  end: number | undefined
  /** The next of deliveries that may go. */
  release: readonly number[]
  /** The first delivery whose status `paused` is not published yet. */
  publish: number | undefined
  /** What is to be moved to the end of the topic. */
  move: number | undefined
  /** What an earlier owner has left. */
  skipped: number | undefined
}

/** Whoever wants something has its turn after a batch of the others. */
const turns = ['end', 'release', 'publish', 'move', 'skipped'] as const

/** Where the paused topic of one partition is read. */
export class PausedReading {
  #scan: Scan = { id: 0, from: 0, position: 0 }
  /** Where the next batch begins. */
  #cursor: number
  #turn = 0
  /** A batch was read since it was somebody's turn. */
  #hadTurn = true
  /** Where the last read for a release ended: the next goes on from there. */
  #releasedAt = 0

  constructor(cursor: number) {
    this.#cursor = cursor
    this.#scan = { id: 0, from: cursor, position: cursor }
  }

  /** What is being read without a gap. */
  get scan(): Scan {
    return this.#scan
  }

  /** A batch comes that was asked for from `offset`. */
  begins(offset: number): void {
    if (offset === this.#scan.position) return
    this.#scan = { id: this.#scan.id + 1, from: offset, position: offset }
  }

  ended(position: number): void {
    this.#cursor = position
    this.#hadTurn = true
    this.#scan = { ...this.#scan, position }
  }

  /** What is awaited at the end may not come: others have their turn. */
  tick(): void {
    if (turns[this.#turn] === 'end') this.#hadTurn = true
  }

  /** Reading goes on elsewhere than it was asked to. */
  movedTo(offset: number): void {
    this.#cursor = offset
  }

  /** @returns the offset to seek; null when reading goes on where it stands */
  next(demands: Demands, frontier: number): number | null {
    const wanted = this.#choose(demands) ?? frontier
    const ahead = wanted - this.#cursor
    if (ahead >= 0 && ahead < nearAhead) return null
    this.#cursor = wanted
    return wanted
  }

  #choose(demands: Demands): number | undefined {
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

  /** In rounds over the topic, so that none waits for another that has very many. */
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
