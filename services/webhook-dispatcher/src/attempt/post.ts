import type { SecureContext } from 'node:tls'
import { createSecureContext, getCACertificates } from 'node:tls'
import { LRUCache } from 'lru-cache'
import { buildConnector, Pool } from 'undici'
import type { AddressGuard } from './address-guard.ts'
import { Answer, type Answered } from './answer.ts'
import { filterAnswers } from './answer-filter.ts'
import type { AttemptResult } from './decide-next-step.ts'
import { errorClassOf } from './error-class.ts'

export type PosterOptions = {
  guard: AddressGuard
  /** PEM roots that are trusted besides the system's; empty for none. */
  extraCa: readonly string[]
  /** For the whole exchange: resolving, connecting, sending, and the answer up to its first 4 KiB. */
  timeoutMs: number
  /** Of one tenant. */
  connectionsPerOrigin: number
  /** So many pools are kept. */
  maxPools: number
}

export type Exchange = {
  /** Whose delivery it is: tenants share no connections, and do not wait for each other's. */
  tenant: string
  url: string
  headers: Record<string, string>
  body: Buffer
}

/** Posts deliveries over keep-alive connections, one bounded pool for each tenant and origin. */
export class Poster implements AsyncDisposable {
  readonly #options: PosterOptions
  readonly #secureContext: SecureContext
  readonly #pools: LRUCache<string, Pool>
  /** No longer in use but for what is in flight. */
  readonly #closing = new Set<Pool>()

  constructor(options: PosterOptions) {
    this.#options = options
    // Made once: reading some 150 roots takes 20 ms, which every new connection would pay.
    this.#secureContext = createSecureContext({
      // Given alone they would take the place of the roots that are trusted anyway.
      ca: [...getCACertificates('default'), ...options.extraCa],
    })
    this.#pools = new LRUCache({ max: options.maxPools, dispose: (pool) => this.#retire(pool) })
  }

  /**
   * Never throws: whatever goes wrong is a result. Redirects are answers like any other, and an
   * answer counts by its status, also when its body breaks off or does not end in time.
   */
  async post(exchange: Exchange): Promise<AttemptResult> {
    const startedAt = performance.now()
    const answered = await this.#exchange(exchange)
    const latencyMs = Math.round(performance.now() - startedAt)
    if ('status' in answered) {
      return { kind: 'responded', status: answered.status, answer: answered.text, latencyMs }
    }
    const { error } = answered
    const message = error instanceof Error ? describe(error) : String(error)
    return { kind: 'unreachable', errorClass: errorClassOf(error), message, latencyMs }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const pools = [...this.#pools.values(), ...this.#closing]
    await Promise.all(pools.map((pool) => pool.destroy()))
  }

  #exchange({ tenant, url, headers, body }: Exchange): Promise<Answered> {
    return new Promise((resolve) => {
      const answer = new Answer((answered) => {
        clearTimeout(timer)
        resolve(answered)
      })
      const { timeoutMs } = this.#options
      const timer = setTimeout(() => answer.giveUp(timedOut(timeoutMs)), timeoutMs)
      try {
        const target = new URL(url)
        const path = target.pathname + target.search
        this.#pool(tenant, target.origin).dispatch({ method: 'POST', path, headers, body }, answer)
      } catch (err) {
        answer.onResponseError(null, err)
      }
    })
  }

  #pool(tenant: string, origin: string): Pool {
    const key = `${tenant}\0${origin}`
    const known = this.#pools.get(key)
    if (known) return known
    const pool = new Pool(origin, {
      connect: this.#connectorOf(tenant),
      connections: this.#options.connectionsPerOrigin,
      // The exchange has one limit of its own; these would only give it other names.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: 16_384,
    })
    this.#pools.set(key, pool)
    return pool
  }

  /** Its connections close when the requests that it has are answered. */
  #retire(pool: Pool): void {
    this.#closing.add(pool)
    void pool.close().finally(() => this.#closing.delete(pool))
  }

  /**
   * A lookup hook alone is not enough: for `https://127.0.0.1/` nothing is looked up, so that
   * literals are checked before connecting.
   */
  #connectorOf(tenant: string): buildConnector.connector {
    const { guard, timeoutMs } = this.#options
    const connect = buildConnector({
      lookup: guard.lookupFor(tenant),
      timeout: timeoutMs,
      maxCachedSessions: 1,
      secureContext: this.#secureContext,
    })
    return (options, callback) => {
      try {
        if (options.protocol !== 'https:') throw new Error('only HTTPS is delivered to')
        guard.checkLiteral(options.hostname)
      } catch (err) {
        callback(err as Error, null)
        return
      }
      connect(options, (...[err, socket]) => {
        if (err !== null) return callback(err, null)
        filterAnswers(socket)
        callback(null, socket)
      })
    }
  }
}

const timedOut = (timeoutMs: number) =>
  Object.assign(new Error(`no complete answer within ${timeoutMs} ms`), { name: 'TimeoutError' })

function describe(err: Error): string {
  const inner = err instanceof AggregateError ? err.errors[0] : err.cause
  return inner instanceof Error && inner.message !== '' ? inner.message : err.message
}
