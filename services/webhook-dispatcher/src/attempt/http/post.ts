import type { SecureContext } from 'node:tls'
import { createSecureContext, getCACertificates } from 'node:tls'
import {
  type AddressGuard,
  NameUnresolvedError,
} from '@surehook/service-kit/outbound/address-guard'
import { Client, type Dispatcher, Pool } from 'undici'
import type { AttemptResult } from '../../transitions/decide-next-attempt.ts'
import { TenantCache } from '../tenant-cache.ts'
import { TimeLimit } from '../time-limit.ts'
import { Answer, type ExchangeResult } from './answer.ts'
import { maxBytes, StaleConnectionError } from './answer-filter.ts'
import { errorClassOf } from './error-class.ts'
import { failureText } from './failure-text.ts'
import { tlsConnector } from './tls-connector.ts'

export type PosterOptions = {
  guard: AddressGuard
  /** PEM certificates that are trusted in addition to the system's; may be empty. */
  extraCa: readonly string[]
  /**
   * The limit of the whole exchange: DNS, connection, request, and the answer up to its first 4
   * KiB.
   */
  timeoutMs: number
  /** Per tenant. */
  connectionsPerOrigin: number
  /** How many connection pools are kept. */
  maxPools: number
}

export type Exchange = {
  /** Pools are separate per tenant, so tenants never wait for each other's connections. */
  tenant: string
  url: string
  headers: Record<string, string>
  body: Buffer
}

/**
 * Firewalls may drop idle connections silently, and a request on such a connection gets no answer.
 */
const longestIdleMs = 60_000

/** The connections of one tenant to one origin. */
type Connections = { pool: Pool; newClient: () => Client }

/** Posts deliveries over keep-alive connections, with one bounded pool per tenant and origin. */
export class Poster implements AsyncDisposable {
  readonly #options: PosterOptions
  readonly #secureContext: SecureContext
  readonly #connections: TenantCache<Connections>
  /** Pools that are closing and only finish their requests. */
  readonly #closing = new Set<Pool | Client>()

  constructor(options: PosterOptions) {
    this.#options = options
    // Made once: reading some 150 certificates takes 20 ms, which every new connection would pay.
    this.#secureContext = createSecureContext({
      // `ca` replaces the default certificates, so they have to be included.
      ca: [...getCACertificates('default'), ...options.extraCa],
    })
    const dispose = ({ pool }: Connections) => this.#retire(pool)
    this.#connections = new TenantCache({ max: options.maxPools, dispose })
  }

  /**
   * Never throws: every failure is a result. Redirects count like any other answer. An answer
   * counts by its status, whatever follows its status line.
   */
  async post(exchange: Exchange): Promise<AttemptResult> {
    const startedAt = performance.now()
    const answered = await this.#exchange(exchange)
    const latencyMs = Math.round(performance.now() - startedAt)
    if ('status' in answered) {
      const { status, text: answer, isCut, retryAfter } = answered
      return { kind: 'responded', status, answer, isCut, latencyMs, retryAfter }
    }
    const { error } = answered
    const failure = {
      kind: 'unreachable',
      errorClass: errorClassOf(error),
      message: failureText(error),
      latencyMs,
    } as const
    return error instanceof NameUnresolvedError ? { ...failure, failedLookup: error } : failure
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const pools = [...this.#connections.values()].map(({ pool }) => pool)
    await Promise.all([...pools, ...this.#closing].map((client) => client.destroy()))
  }

  /**
   * Sends the request, and once more on a new connection if a reused one was closed before any byte
   * of an answer. A client may repeat a request that it knows to be idempotent (RFC 9110 §9.2.2):
   * receivers recognise the delivery by its `webhook-id`.
   */
  async #exchange({ tenant, url, headers, body }: Exchange): Promise<ExchangeResult> {
    const { timeoutMs } = this.#options
    let answer = new Answer()
    using _limit = new TimeLimit(timeoutMs, () => answer.giveUp(timedOut(timeoutMs)))
    try {
      const target = new URL(url)
      const path = target.pathname + target.search
      const request: Dispatcher.DispatchOptions = { method: 'POST', path, headers, body }
      const { pool, newClient } = this.#connectionsTo(tenant, target.origin)
      pool.dispatch(request, answer)
      const answered = await answer.answered
      if (!('error' in answered && answered.error instanceof StaleConnectionError)) return answered
      answer = new Answer()
      const fresh = newClient()
      fresh.dispatch({ ...request, reset: true }, answer)
      this.#retire(fresh)
      return await answer.answered
    } catch (error) {
      return { error }
    }
  }

  #connectionsTo(tenant: string, origin: string): Connections {
    const known = this.#connections.get(tenant, origin)
    if (known) return known
    const options: Client.Options = {
      connect: tlsConnector(
        {
          ...this.#options,
          secureContext: this.#secureContext,
        },
        tenant,
      ),
      // With HTTP/2 all deliveries to an origin would share one connection, and its loss would fail
      // all of them. `filterAnswers` also reads only HTTP/1.1.
      allowH2: false,
      keepAliveMaxTimeout: longestIdleMs,
      // The exchange has its own limit; these would only report it under other names.
      headersTimeout: 0,
      bodyTimeout: 0,
      // The filter limits the whole answer.
      maxHeaderSize: maxBytes,
    }
    const pool = new Pool(origin, { ...options, connections: this.#options.connectionsPerOrigin })
    const connections = { pool, newClient: () => new Client(origin, options) }
    this.#connections.add(tenant, origin, connections)
    return connections
  }

  /** Closes its connections once its requests are answered. */
  #retire(client: Pool | Client): void {
    this.#closing.add(client)
    void client.close().finally(() => this.#closing.delete(client))
  }
}

const timedOut = (timeoutMs: number) =>
  Object.assign(new Error(`no complete answer within ${timeoutMs} ms`), { name: 'TimeoutError' })
