import { streamLimits } from '@surehook/contracts/http/webhooks/stream'
import type { Position } from '../cursor/position.ts'
import type { ChangeSource, OwnPiece } from '../log/change-source.ts'
import type { Wanted } from '../wanted.ts'
import { ndjsonLine } from './framing.ts'

export type Collecting = {
  source: Pick<ChangeSource, 'next'>
  position: Position
  wanted: Wanted
  cursor: () => string
  limit: number
  /** How long a page without events waits for the first one. */
  waitMs: number
  now: () => number
  signal: AbortSignal
}

export type Page = { text: string; events: number; cursor: string }

/** A page that finds nothing in a long log ends, with a cursor behind what it has read. */
const scanMs = 5_000

/** The next events, at most as many and as large as a page may be. */
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

  async take({ partition, next, entries }: OwnPiece): Promise<void> {
    const { position, wanted, cursor, now } = this.#of
    for (const entry of entries) {
      if (this.isFull) return
      if (entry.offset < position.at(partition)) continue
      const change = await entry.change()
      position.advance(partition, entry.offset + 1)
      if (change === null || !wanted.matches(change)) continue
      const framed = { event: change.event, select: wanted.select, cursor: cursor() }
      this.text += ndjsonLine(framed, Math.floor(now() / 1_000))
      this.events += 1
    }
    if (!this.isFull) position.advance(partition, next)
  }
}
