import { AppError } from '@surehook/service-kit/errors'
import type { RedisClient } from '@surehook/service-kit/redis/client'
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import type { TenantIdentity } from '../platform/tenant.ts'
import { keyOf } from './account-key.ts'
import { NoHashRoomError } from './no-hash-room-error.ts'

const perMinute = (points: number) => ({ points, duration: 60 })
const perTenMinutes = (points: number) => ({ points, duration: 600 })

const limits = {
  // Counted per client address.
  signup: perMinute(10),
  login: perMinute(20),
  consoleCode: perMinute(20),
  consoleCredential: perMinute(20),
  /**
   * Mails requested by one client, over all e-mail addresses: the limits per address do not bound
   * them.
   */
  recoverClient: perTenMinutes(100),
  resendClient: perTenMinutes(100),
  /**
   * Wrong codes of one client, over all accounts: attempts per code do not bound a client that
   * tries many accounts.
   */
  guess: perTenMinutes(30),
  // Counted per e-mail address.
  recover: perMinute(5),
  resend: perMinute(5),
} as const
type Limit = keyof typeof limits

export type RateLimits = {
  /** Counts one call. Throws RATE_LIMIT_EXCEEDED above the limit. All replicas share the counts. */
  consume(limit: Exclude<Limit, 'guess'>, tenant: TenantIdentity, subject: string): Promise<void>
  /**
   * Like `consume`, but takes the count back if the hash queue refuses the call, which then did
   * nothing.
   */
  admit<T>(
    limit: 'login' | 'signup',
    tenant: TenantIdentity,
    call: { subject: string; work: () => Promise<T> },
  ): Promise<T>
  /**
   * Checks a client's code, and counts it if it is wrong. After too many wrong codes throws
   * RATE_LIMIT_EXCEEDED without a check.
   */
  guess(tenant: TenantIdentity, address: string, isRight: () => Promise<boolean>): Promise<boolean>
}

/**
 * The library's own script with two changes: a refused call adds nothing, and a returned point
 * never makes the count negative. Without them a returned call would leave a trace in the count.
 *
 * ARGV: points (negative: returned), window in seconds, points per window. Returns the points used,
 * including those asked for, and the milliseconds until the window ends.
 */
const countScript = `
redis.call('SET', KEYS[1], 0, 'EX', ARGV[2], 'NX')
local ttl = redis.call('PTTL', KEYS[1])
local used = tonumber(redis.call('GET', KEYS[1])) + tonumber(ARGV[1])
if used > tonumber(ARGV[3]) then return {used, ttl} end
used = math.max(used, 0)
redis.call('SET', KEYS[1], string.format('%d', used), 'PX', string.format('%d', math.max(ttl, 1)))
return {used, ttl}
`

export function createRateLimits(redis: RedisClient): RateLimits {
  const limiterOf = (name: Limit) =>
    new RateLimiterRedis({
      storeClient: redis,
      useRedisPackage: true,
      keyPrefix: `auth:rate:${name}`,
      customIncrTtlLuaScript: countScript,
      ...limits[name],
    })
  const limiters: Readonly<Record<Limit, RateLimiterRedis>> = {
    signup: limiterOf('signup'),
    login: limiterOf('login'),
    consoleCode: limiterOf('consoleCode'),
    consoleCredential: limiterOf('consoleCredential'),
    recoverClient: limiterOf('recoverClient'),
    resendClient: limiterOf('resendClient'),
    guess: limiterOf('guess'),
    recover: limiterOf('recover'),
    resend: limiterOf('resend'),
  }
  return {
    consume: async (limit, tenant, subject) => {
      await count(limiters[limit], keyOf(tenant, subject))
    },
    async admit(limit, tenant, { subject, work }) {
      const giveBack = await count(limiters[limit], keyOf(tenant, subject))
      try {
        return await work()
      } catch (err) {
        if (err instanceof NoHashRoomError) await giveBack()
        throw err
      }
    },
    async guess(tenant, address, isRight) {
      // Counted first and returned if right: of many simultaneous guesses, no more are checked than
      // may be wrong.
      const giveBack = await count(limiters.guess, keyOf(tenant, address))
      let isWrong = false
      try {
        isWrong = !(await isRight())
        return !isWrong
      } finally {
        if (!isWrong) await giveBack()
      }
    },
  }
}

/**
 * Counts one call. Returns a function that takes the count back, but only within the window that
 * counted it.
 */
async function count(limiter: RateLimiterRedis, key: string): Promise<() => Promise<void>> {
  try {
    const { msBeforeNext } = await limiter.consume(key)
    const endsAt = performance.now() + msBeforeNext
    return async () => {
      if (performance.now() < endsAt) await limiter.reward(key)
    }
  } catch (err) {
    if (!(err instanceof RateLimiterRes)) throw err
    const retryAfterS = Math.max(1, Math.ceil(err.msBeforeNext / 1000))
    throw new AppError('RATE_LIMIT_EXCEEDED', 'Too many requests', { retryAfterS })
  }
}
