import type { IncomingMessage, ServerResponse } from 'node:http'
import { endRequest, lateBody } from '@surehook/service-kit/http/connection/end-request'

const everyMs = 1_000
/** A stream that received fewer bytes since the last check is stalled. */
const leastBytes = 4_096
/** How many checks a stream may stall while others wait for its connection. */
const patience = 2

type Stream = { req: IncomingMessage; res: ServerResponse; bytes: number; stoodStill: number }

/**
 * Ends stalled streams while all connections are taken and other clients wait. Ends at most as many
 * as wait.
 */
export class StalledStreams implements Disposable {
  readonly #slots: { readonly starving: number }
  readonly #streams = new Set<Stream>()
  readonly #timer = setInterval(() => this.#look(), everyMs).unref()

  constructor(slots: { readonly starving: number }) {
    this.#slots = slots
  }

  /** Watches a request until its body is complete. */
  add(req: IncomingMessage, res: ServerResponse): void {
    const stream = { req, res, bytes: req.socket.bytesRead, stoodStill: 0 }
    this.#streams.add(stream)
    req.once('close', () => this.#streams.delete(stream))
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }

  #look(): void {
    for (const stream of this.#streams) {
      const { req, bytes } = stream
      stream.bytes = req.socket.bytesRead
      // Bytes that arrived but were not read wait for the upstream, so the client is not to blame.
      const isStill = req.readableLength === 0 && stream.bytes - bytes < leastBytes
      stream.stoodStill = isStill && !req.complete ? stream.stoodStill + 1 : 0
    }
    const stalled = [...this.#streams].filter(({ stoodStill }) => stoodStill >= patience)
    const longest = stalled.toSorted((a, b) => b.stoodStill - a.stoodStill)
    for (const stream of longest.slice(0, this.#slots.starving)) {
      this.#streams.delete(stream)
      endRequest(stream, lateBody())
    }
  }
}
