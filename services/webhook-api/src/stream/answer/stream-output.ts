import type { ServerResponse } from 'node:http'
import { StreamEnded } from './stream-ended.ts'

/** A client that reads nothing for this long is disconnected. It can reconnect with its cursor. */
const stalledMs = 300_000
/** The time for which fetched records are held for a slow client. */
const graceMs = 250
/** The time that the client has to read the rest when its stream ends. */
const endMs = 1_000

/** Writes to one client only while it reads: at most one chunk waits in memory. */
export class StreamOutput {
  readonly #res: ServerResponse
  #wroteAt = performance.now()

  constructor(res: ServerResponse) {
    this.#res = res
  }

  get quietMs(): number {
    return performance.now() - this.#wroteAt
  }

  /** Resolves with true if the client takes more, and after `graceMs` with false. */
  async write(text: string, signal: AbortSignal): Promise<boolean> {
    signal.throwIfAborted()
    this.#wroteAt = performance.now()
    return this.#res.write(text) || (await this.#drained(graceMs, signal))
  }

  /** Resolves when the client takes more. Rejects with `StreamEnded` after `stalledMs`. */
  async writable(signal: AbortSignal): Promise<void> {
    if (!this.#res.writableNeedDrain) return
    if (!(await this.#drained(stalledMs, signal))) throw new StreamEnded('stalled')
  }

  end(reason: string): void {
    if (this.#res.closed) return
    const timer = setTimeout(() => this.#res.destroy(), endMs)
    this.#res.once('close', () => clearTimeout(timer))
    this.#res.end(this.#res.writableNeedDrain ? undefined : `: ${reason}\n\n`)
  }

  #drained(withinMs: number, signal: AbortSignal): Promise<boolean> {
    const { promise, resolve, reject } = Promise.withResolvers<boolean>()
    const onDrain = () => resolve(true)
    const onAbort = () => reject(signal.reason)
    const timer = setTimeout(() => resolve(false), withinMs)
    this.#res.once('drain', onDrain)
    signal.addEventListener('abort', onAbort, { once: true })
    if (!this.#res.writableNeedDrain) resolve(true)
    return promise.finally(() => {
      clearTimeout(timer)
      this.#res.off('drain', onDrain)
      signal.removeEventListener('abort', onAbort)
    })
  }
}
