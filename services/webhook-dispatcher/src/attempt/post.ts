import { createSecureContext, getCACertificates } from 'node:tls'
import { LRUCache } from 'lru-cache'
import type { Dispatcher } from 'undici'
import { buildConnector, Pool } from 'undici'
import type { AddressGuard } from './address-guard.ts'
import type { AttemptResult } from './decide-next-step.ts'
import { errorClassOf } from './error-class.ts'

export type PosterOptions = {
  guard: AddressGuard
  /** PEM roots that are trusted besides the system's; empty for none. */
  extraCa: readonly string[]
  /** For the whole exchange: resolving, connecting, sending, and the answer up to its first 4 KiB. */
  timeoutMs: number
  connectionsPerOrigin: number
}

export type Exchange = { url: string; headers: Record<string, string>; body: Buffer }

/** More of an answer is neither read nor kept. */
export const answerLimit = 4096
const maxOrigins = 2_000

/** Posts deliveries over keep-alive connections, one bounded pool for each origin. */
export class Poster implements AsyncDisposable {
  readonly #options: PosterOptions
  readonly #connect: buildConnector.connector
  readonly #pools: LRUCache<string, Pool>

  constructor(options: PosterOptions) {
    this.#options = options
    this.#connect = guardedConnector(options)
    this.#pools = new LRUCache({
      max: maxOrigins,
      dispose: (pool) => void pool.close(),
    })
  }

  /** Never throws: whatever goes wrong is a result. Redirects are answers like any other. */
  async post({ url, headers, body }: Exchange): Promise<AttemptResult> {
    const startedAt = performance.now()
    const latencyMs = () => Math.round(performance.now() - startedAt)
    const timeout = new AbortController()
    const timer = setTimeout(() => timeout.abort(timedOut(this.#options)), this.#options.timeoutMs)
    try {
      const target = new URL(url)
      const response = await this.#pool(target.origin).request({
        method: 'POST',
        path: target.pathname + target.search,
        headers,
        body,
        signal: timeout.signal,
      })
      const answer = await readStart(response.body)
      return { kind: 'responded', status: response.statusCode, answer, latencyMs: latencyMs() }
    } catch (err) {
      const message = err instanceof Error ? describe(err) : String(err)
      return { kind: 'unreachable', errorClass: errorClassOf(err), message, latencyMs: latencyMs() }
    } finally {
      clearTimeout(timer)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#pools.values()].map((pool) => pool.destroy()))
  }

  #pool(origin: string): Pool {
    const known = this.#pools.get(origin)
    if (known) return known
    const pool = new Pool(origin, {
      connect: this.#connect,
      connections: this.#options.connectionsPerOrigin,
      // The exchange has one limit of its own; these would only give it other names.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: 16_384,
    })
    this.#pools.set(origin, pool)
    return pool
  }
}

/**
 * A lookup hook alone is not enough: for `https://127.0.0.1/` nothing is looked up, so that
 * literals are checked before connecting.
 */
function guardedConnector({ guard, extraCa, timeoutMs }: PosterOptions): buildConnector.connector {
  const connect = buildConnector({
    lookup: guard.lookup,
    timeout: timeoutMs,
    maxCachedSessions: maxOrigins,
    // Made once: reading some 150 roots takes 20 ms, which every new connection would pay.
    secureContext: createSecureContext({
      // Given alone they would take the place of the roots that are trusted anyway.
      ca: [...getCACertificates('default'), ...extraCa],
    }),
  })
  return (options, callback) => {
    try {
      if (options.protocol !== 'https:') throw new Error('only HTTPS is delivered to')
      guard.checkLiteral(options.hostname)
    } catch (err) {
      callback(err as Error, null)
      return
    }
    connect(options, callback)
  }
}

async function readStart(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  // Leaving the loop destroys the stream, and with it a connection whose answer is too long.
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    size += chunk.length
    if (size > answerLimit) break
  }
  return Buffer.concat(chunks).subarray(0, answerLimit).toString('utf8').replaceAll('\0', '\uFFFD')
}

const timedOut = ({ timeoutMs }: PosterOptions) =>
  Object.assign(new Error(`no complete answer within ${timeoutMs} ms`), { name: 'TimeoutError' })

function describe(err: Error): string {
  const inner = err instanceof AggregateError ? err.errors[0] : err.cause
  return inner instanceof Error && inner.message !== '' ? inner.message : err.message
}
