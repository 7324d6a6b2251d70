import { streamLimits } from '@surehook/contracts/http/webhooks/stream'
import type { Position } from '../cursor/position.ts'
import type { ChangeSource, OwnPiece } from '../log/change-source.ts'
import { ndjsonLine } from './framing.ts'
import { type NextTurn, turnEnd } from './reading-turns.ts'
import type { StreamSelection } from './stream-selection.ts'

export type Collecting = {
  source: Pick<ChangeSource, 'next'>
  position: Position
  selection: StreamSelection
  cursor: () => string
  limit: number
  /** The time that a page without events waits for the first one. */
  waitMs: number
  now: () => number
  nextTurn: NextTurn
  signal: AbortSignal
}

export type Page = { text: string; events: number; cursor: string }

/**
 * The time after which a page ends even if it is not full. Its cursor is behind everything that it
 * has read.
 */
const scanMs = 5_000

/** Collects the next events, up to the limits of a page. */
export async function collectPage(collecting: Collecting): Promise<Page> {
  const { source, waitMs, signal, cursor } = collecting
  const waitUntil = performance.now() + waitMs
  const page = new GrowingPage(collecting)
  while (!page.isFull && performance.now() < waitUntil + scanMs) {
    const leftMs = page.events > 0 ? 0 : Math.max(0, waitUntil - performance.now())
    using portion = await source.next(leftMs, signal)
    if (portion === null) break
    for (const piece of portion.pieces) await page.take(piece)
  }
  return { text: page.text, events: page.events, cursor: cursor() }
}

class GrowingPage {
  readonly #of: Collecting
  text = ''
  events = 0

  constructor(of: Collecting) {
    this.#of = of
  }

  get isFull(): boolean {
    return this.events >= this.#of.limit || this.text.length >= streamLimits.pageBytes
  }

  async take(piece: OwnPiece): Promise<void> {
    const { position, nextTurn, signal } = this.#of
    const { length } = piece.entries
    for (let at = 0; at < length && !this.isFull; ) {
      await nextTurn(length, signal)
      at = await this.#takeSome(piece, at)
    }
    if (!this.isFull) position.advance(piece.partition, piece.next)
  }

  /** Returns the index of the first entry that it has not taken. */
  async #takeSome({ partition, entries }: OwnPiece, begin: number): Promise<number> {
    const { position, selection, cursor, now } = this.#of
    const isOver = turnEnd()
    let at = begin
    while (at < entries.length && !this.isFull && !isOver()) {
      const entry = entries[at++]
      if (entry === undefined || entry.offset < position.at(partition)) continue
      const change = await entry.change()
      position.advance(partition, entry.offset + 1)
      const selected = change === null ? null : await selection.of(change)
      if (selected === null) continue
      const timestampS = Math.floor(now() / 1_000)
      this.text += ndjsonLine(selected, { cursor: cursor(), timestampS })
      this.events += 1
    }
    return at
  }
}
