import { AppError, unavailable } from '@surehook/service-kit/errors'
import { forgerOf } from '@surehook/service-kit/http/request/counted-client'
import { fromZero, type Metrics } from '@surehook/service-kit/telemetry/metrics'
import { FailedTokens, TokenError, TooManyTokensError } from '@surehook/token-verifier'
import type { TenantName } from '../../keys/key-store.ts'
import { clientLine } from '../../limits/client-line.ts'
import { createFairTurns } from '../../limits/fair-turns.ts'

/** `client`: `null` for another service, which bounds its own clients. */
export type TokenBearer = { tenant: TenantName; client: { readonly address: string } | null }

export type Decryptions = {
  /**
   * Runs `read`, which decrypts a token that is not known, when it is its turn: few at once, tenants and networks of
   * clients in turn. RATE_LIMIT_EXCEEDED after too many bad tokens of the client, 503 while too many wait.
   */
  run<T>(by: TokenBearer, read: () => Promise<T>): Promise<T>
}

export type DecryptionsOptions = {
  /** Tokens of one client that may turn out to be bad, in a minute. */
  maxFailedPerMinute: number
  metrics: Metrics
}

/** Each takes a thread of libuv for about a millisecond. Passwords leave two threads to all that is no hash. */
const concurrency = 2
/** About a quarter of a second of work. */
const maxWaiting = 500
const longestWaitMs = 2_000

export function createDecryptions({
  maxFailedPerMinute,
  metrics,
}: DecryptionsOptions): Decryptions {
  const failed = new FailedTokens({ maxPerMinute: maxFailedPerMinute })
  const outcomes = decryptionMeter(metrics)
  const turns = createFairTurns({
    concurrency,
    room: () => maxWaiting,
    longestWaitMs,
    refusal: () => {
      outcomes.inc({ outcome: 'no_room' })
      return unavailable('too many encrypted tokens wait to be read')
    },
  })

  function assertBelowLimit(client: TokenBearer['client']): void {
    if (client === null) return
    try {
      failed.assertBelowLimit(forgerOf(client.address))
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
      // A token that has expired was ours.
      const isForged = err.code === 'AUTH_TOKEN_INVALID'
      if (client !== null && isForged) failed.count(forgerOf(client.address))
      throw err
    }
  }

  return {
    async run({ tenant, client }, read) {
      assertBelowLimit(client)
      await turns.take(clientLine(tenant, client ?? aService), 1)
      try {
        // Others of this client may have failed while it waited.
        assertBelowLimit(client)
        return await readCounted(client, read)
      } finally {
        turns.giveBack(1)
      }
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
