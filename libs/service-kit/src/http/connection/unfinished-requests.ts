import type { IncomingMessage, ServerResponse } from 'node:http'
import { endRequest, lateBody } from './end-request.ts'
import { maxPerClient, surplusOf } from './surplus.ts'

/**
 * Same rule as Apache's mod_reqtimeout: a body has a base time, plus time for each byte that
 * arrives.
 */
const minBytesPerSecond = 500
const everyMs = 1_000
/** Most incomplete requests of one client at once, even for a short time. */
const maxBurst = 4 * maxPerClient

type UnfinishedRequest = {
  req: IncomingMessage
  res: ServerResponse
  startedAt: number
  bytesBefore: number
  /** Milliseconds that the server waited for the client. */
  waitedMs: number
}

/**
 * Tracks requests whose bodies are still arriving. It ends those below 500 bytes per second after
 * the base time, and the oldest ones of a client with more than 256. A client that leaves requests
 * incomplete thus harms only itself.
 */
export class UnfinishedRequests implements Disposable {
  readonly #byClient = new Map<string, Set<UnfinishedRequest>>()
  readonly #patienceMs: number
  readonly #timer = setInterval(() => this.#look(), everyMs).unref()

  /** @param patienceMs base time of every body in milliseconds */
  constructor(patienceMs: number) {
    this.#patienceMs = patienceMs
  }

  /** Tracks a request until its body has been read. */
  add(req: IncomingMessage, res: ServerResponse, client: string): void {
    if (!announcesBody(req)) return
    const of = this.#byClient.get(client) ?? new Set<UnfinishedRequest>()
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
      const incomplete: UnfinishedRequest[] = []
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

function isTooSlow(unfinished: UnfinishedRequest, patienceMs: number): boolean {
  const { req, bytesBefore } = unfinished
  // Unread data waits for the server, not for the client.
  if (req.readableLength === 0) unfinished.waitedMs += everyMs
  const bytes = req.socket.bytesRead - bytesBefore
  return unfinished.waitedMs > patienceMs + (1_000 * bytes) / minBytesPerSecond
}

function endOldest(of: Set<UnfinishedRequest>): void {
  for (const unfinished of of) {
    if (unfinished.req.complete) continue
    end(of, unfinished)
    return
  }
}

/** Ends a request once: its client may keep the connection open and not read the response. */
function end(of: Set<UnfinishedRequest>, unfinished: UnfinishedRequest): void {
  of.delete(unfinished)
  endRequest(unfinished, lateBody())
}
