import { type Position, timeOf } from '../cursor/position.ts'
import type { LoggedEntry } from './logged-entry.ts'

/** Consecutive records of one partition. */
export type Piece = {
  partition: number
  /** The offset behind the last record. */
  next: number
  bytes: number
  /** The changes by tenant key. */
  entries: ReadonlyMap<string, readonly LoggedEntry[]>
}

/**
 * The newest records of the log, up to `maxBytes`. Streams at the end of the log read them from
 * here instead of from Kafka. A waiting stream costs nothing until its tenant has a change.
 */
export class RecentChanges {
  /** The offsets behind the newest records. */
  readonly end: Position
  /** The first offsets that are still in memory. */
  readonly #begin: Position
  readonly #pieces: Piece[] = []
  readonly #waiting = new Map<string, Set<() => void>>()
  readonly #maxBytes: number
  #firstSequence = 0
  #bytes = 0

  constructor(end: Position, maxBytes: number) {
    this.end = end.copy()
    this.#begin = end.copy()
    this.#maxBytes = maxBytes
  }

  /** The number that the next piece will get. */
  get nextSequence(): number {
    return this.#firstSequence + this.#pieces.length
  }

  /** Begins a partition whose offset was not known, because it had no leader. */
  begin(partition: number, offset: number): void {
    this.#begin.resolve(partition, offset)
    this.end.resolve(partition, offset)
  }

  /**
   * Returns the partitions whose next record will be in memory first. The others have records that
   * have to be fetched, or nothing is known of them yet.
   */
  followed(position: Position): number[] {
    const partitions = [...this.end.offsets.keys()]
    return partitions.filter((partition) => {
      const begin = this.#begin.at(partition)
      return timeOf(begin) === null && position.at(partition) >= begin
    })
  }

  /** Ignores records that it already has. */
  append(piece: Piece): void {
    if (piece.next <= this.end.at(piece.partition)) return
    this.#wake(piece)
    this.#pieces.push(piece)
    this.#bytes += piece.bytes
    this.end.advance(piece.partition, piece.next)
    while (this.#bytes > this.#maxBytes && this.#pieces.length > 1) this.#dropOldest()
  }

  /**
   * Returns the partitions whose records at `position` are no longer in memory. Those of which
   * nothing is known yet are left out.
   */
  missing(position: Position): number[] {
    const partitions = [...this.end.offsets.keys()]
    return partitions.filter((partition) => {
      const isKnown = timeOf(this.#begin.at(partition)) === null
      return isKnown && position.at(partition) < this.#begin.at(partition)
    })
  }

  /**
   * Returns the piece with this number, or the oldest one in memory; `null` if there is no newer
   * one.
   */
  from(sequence: number): { piece: Piece; sequence: number } | null {
    const index = Math.max(0, sequence - this.#firstSequence)
    const piece = this.#pieces[index]
    return piece === undefined ? null : { piece, sequence: this.#firstSequence + index }
  }

  /** Calls `wake` once, right before it adds the next piece with changes of the tenant. */
  onNext(tenantKey: string, wake: () => void): Disposable {
    const waiting = this.#waiting.get(tenantKey) ?? new Set()
    this.#waiting.set(tenantKey, waiting.add(wake))
    return {
      [Symbol.dispose]: () => {
        waiting.delete(wake)
        if (waiting.size === 0 && this.#waiting.get(tenantKey) === waiting) {
          this.#waiting.delete(tenantKey)
        }
      },
    }
  }

  #wake({ entries }: Piece): void {
    if (this.#waiting.size === 0) return
    for (const tenantKey of entries.keys()) {
      const waiting = this.#waiting.get(tenantKey)
      if (waiting === undefined) continue
      this.#waiting.delete(tenantKey)
      for (const wake of waiting) wake()
    }
  }

  #dropOldest(): void {
    const [oldest] = this.#pieces.splice(0, 1)
    if (oldest === undefined) return
    this.#firstSequence += 1
    this.#bytes -= oldest.bytes
    this.#begin.advance(oldest.partition, oldest.next)
  }
}
