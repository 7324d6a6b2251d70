import { AppError, unavailable } from '@surehook/service-kit/errors'
import { limitKeyOf } from '@surehook/service-kit/http/request/client-networks'
import { FairSlots } from '@surehook/service-kit/slots/fair-slots'
import { fromZero, type Metrics } from '@surehook/service-kit/telemetry/metrics'
import { FailedTokens, TokenError, TooManyTokensError } from '@surehook/token-verifier'
import { clientLine } from '../../limits/client-line.ts'
import type { TenantName } from '../../platform/tenant.ts'

/** `client` is `null` for another service, which limits its own clients. */
export type TokenBearer = { tenant: TenantName; client: { readonly address: string } | null }

export type Decryptions = {
  /**
   * Runs `read`, which decrypts an unknown token, fairly between tenants and networks of clients.
   * Rejects with RATE_LIMIT_EXCEEDED after too many invalid tokens of the client, and with 503
   * while too many wait.
   */
  run<T>(by: TokenBearer, read: () => Promise<T>): Promise<T>
}

export type DecryptionsOptions = {
  /** How many invalid tokens a client may send per minute. */
  maxFailedPerMinute: number
  metrics: Metrics
}

/** Each takes a libuv thread for about 1 ms. Password hashes leave two threads to other work. */
const concurrency = 2
/** About 250 ms of work. */
const waiting = { all: 500, each: 250 }
const maxWaitMs = 2_000

export function createDecryptions({
  maxFailedPerMinute,
  metrics,
}: DecryptionsOptions): Decryptions {
  const failed = new FailedTokens({ maxPerMinute: maxFailedPerMinute })
  const outcomes = decryptionMeter(metrics)
  const slots = new FairSlots({
    room: { all: concurrency },
    waiting,
    maxWaitMs,
    refusal: () => {
      outcomes.inc({ outcome: 'no_room' })
      return unavailable('too many encrypted tokens wait to be read')
    },
  })

  function assertBelowLimit(client: TokenBearer['client']): void {
    if (client === null) return
    try {
      failed.assertBelowLimit(limitKeyOf(client.address))
    } catch (err) {
      if (!(err instanceof TooManyTokensError)) throw err
      outcomes.inc({ outcome: 'limited' })
      const { retryAfterS } = err
      throw new AppError('RATE_LIMIT_EXCEEDED', 'Too many invalid access tokens', { retryAfterS })
    }
  }

  async function readCounted<T>(client: TokenBearer['client'], read: () => Promise<T>): Promise<T> {
    try {
      const token = await read()
      outcomes.inc({ outcome: 'good' })
      return token
    } catch (err) {
      if (!(err instanceof TokenError)) throw err
      outcomes.inc({ outcome: 'bad' })
      // An expired token is genuine, so it does not count.
      const isForged = err.code === 'AUTH_TOKEN_INVALID'
      if (client !== null && isForged) failed.count(limitKeyOf(client.address))
      throw err
    }
  }

  return {
    async run({ tenant, client }, read) {
      assertBelowLimit(client)
      return slots.run(clientLine(tenant, client ?? aService), () => {
        // Checked again: other tokens of this client may have failed while this one waited.
        assertBelowLimit(client)
        return readCounted(client, read)
      })
    },
  }
}

const aService = { address: 'service' }

const decryptionMeter = (metrics: Metrics) =>
  fromZero(
    metrics.counter({
      name: 'surehook_auth_token_decryptions_total',
      help: 'Unknown encrypted access tokens. bad: not valid, limited: refused unread, no_room: too many waited',
      labelNames: ['outcome'],
    }),
    'outcome',
    ['good', 'bad', 'limited', 'no_room'],
  )
