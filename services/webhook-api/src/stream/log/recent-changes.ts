import type { Position } from '../cursor/position.ts'
import type { LoggedEntry } from './logged-entry.ts'

/** Consecutive records of one partition. */
export type Piece = {
  partition: number
  /** Behind its last record. */
  next: number
  bytes: number
  /** Its changes by tenant key. */
  entries: ReadonlyMap<string, readonly LoggedEntry[]>
}

/**
 * The newest records of the log, as far as they fit into `maxBytes`. Streams read them here instead
 * of from Kafka. A stream without changes costs nothing until its tenant has one.
 */
export class RecentChanges {
  /** Behind the newest record of each partition. */
  readonly end: Position
  /** The first record of each partition that is still here. */
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

  /** Records that are here already are not taken again. */
  append(piece: Piece): void {
    if (piece.next <= this.end.at(piece.partition)) return
    this.#wake(piece)
    this.#pieces.push(piece)
    this.#bytes += piece.bytes
    this.end.advance(piece.partition, piece.next)
    while (this.#bytes > this.#maxBytes && this.#pieces.length > 1) this.#dropOldest()
  }

  /** The partitions of which a reader at `position` must read something elsewhere first. */
  missing(position: Position): number[] {
    const partitions = [...this.end.offsets.keys()]
    return partitions.filter((partition) => position.at(partition) < this.#begin.at(partition))
  }

  /** The piece with this number, or the oldest one that is here; `null` behind the newest. */
  from(sequence: number): { piece: Piece; sequence: number } | null {
    const index = Math.max(0, sequence - this.#firstSequence)
    const piece = this.#pieces[index]
    return piece === undefined ? null : { piece, sequence: this.#firstSequence + index }
  }

  /** Calls `wake` once, right before the next piece with changes of the tenant is taken in. */
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
