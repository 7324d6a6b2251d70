import type { IncomingMessage, ServerResponse } from 'node:http'
import { endRequest, lateBody } from './end-request.ts'
import { maxPerClient, surplusOf } from './surplus.ts'

/** Apache's mod_reqtimeout has the same rule: a body has a time of its own and more for what arrives. */
const minBytesPerSecond = 500
const everyMs = 1_000
/** So many of one client may be incomplete at once, for however short a time. */
const maxBurst = 4 * maxPerClient

type Unfinished = {
  req: IncomingMessage
  res: ServerResponse
  startedAt: number
  bytesBefore: number
  /** How long the client, not the server, was waited for. */
  waitedMs: number
}

/**
 * The requests whose bodies are still arriving. Ends those that arrive more slowly than 500 bytes per second after their
 * patience is over, and the oldest ones of a client that has more than 256: what a client leaves half-sent costs only that
 * client.
 */
export class UnfinishedRequests implements Disposable {
  readonly #byClient = new Map<string, Set<Unfinished>>()
  readonly #patienceMs: number
  readonly #timer = setInterval(() => this.#look(), everyMs).unref()

  /** @param patienceMs the time that every body has, however little of it arrives */
  constructor(patienceMs: number) {
    this.#patienceMs = patienceMs
  }

  /** Counts a request until its body has been read. */
  add(req: IncomingMessage, res: ServerResponse, client: string): void {
    if (!announcesBody(req)) return
    const of = this.#byClient.get(client) ?? new Set<Unfinished>()
    this.#byClient.set(client, of)
    const { bytesRead } = req.socket
    const startedAt = performance.now()
    const unfinished = { req, res, startedAt, bytesBefore: bytesRead, waitedMs: 0 }
    of.add(unfinished)
    req.once('close', () => {
      of.delete(unfinished)
      if (of.size === 0 && this.#byClient.get(client) === of) this.#byClient.delete(client)
    })
    if (of.size > maxBurst) endOldest(of)
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }

  #look(): void {
    const settled = performance.now() - everyMs
    for (const of of this.#byClient.values()) {
      const incomplete: Unfinished[] = []
      for (const unfinished of of) {
        if (unfinished.req.complete) continue
        if (isTooSlow(unfinished, this.#patienceMs)) end(of, unfinished)
        else if (unfinished.startedAt < settled) incomplete.push(unfinished)
      }
      for (const unfinished of surplusOf(incomplete)) end(of, unfinished)
    }
  }
}

function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

function isTooSlow(unfinished: Unfinished, patienceMs: number): boolean {
  const { req, bytesBefore } = unfinished
  // What has arrived and was not read yet is waiting for the server.
  if (req.readableLength === 0) unfinished.waitedMs += everyMs
  const bytes = req.socket.bytesRead - bytesBefore
  return unfinished.waitedMs > patienceMs + (1_000 * bytes) / minBytesPerSecond
}

function endOldest(of: Set<Unfinished>): void {
  for (const unfinished of of) {
    if (unfinished.req.complete) continue
    end(of, unfinished)
    return
  }
}

/** Once: its client may leave the connection open for long, and not read the answer. */
function end(of: Set<Unfinished>, unfinished: Unfinished): void {
  of.delete(unfinished)
  endRequest(unfinished, lateBody())
}
