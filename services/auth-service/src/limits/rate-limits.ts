import { AppError } from '@surehook/service-kit/errors'
import type { RedisClient } from '@surehook/service-kit/redis/client'
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import { NoHashRoomError } from '../password/hash-queue.ts'
import { keyOf } from './account-key.ts'

type Place = { readonly projectId: string; readonly environment: string }

const perMinute = (points: number) => ({ points, duration: 60 })
const perTenMinutes = (points: number) => ({ points, duration: 600 })

const limits = {
  // For a client's address.
  signup: perMinute(10),
  login: perMinute(20),
  /** Mails asked for, whatever the e-mail addresses: the limits below do not bound who takes many. */
  recoverClient: perTenMinutes(100),
  resendClient: perTenMinutes(100),
  /** Wrong codes, whatever the accounts: those have their attempts, and there are many accounts. */
  guess: perTenMinutes(30),
  // For an e-mail address.
  recover: perMinute(5),
  resend: perMinute(5),
} as const
type Limit = keyof typeof limits

export type RateLimits = {
  /** Counts one call; RATE_LIMIT_EXCEEDED when it is one too many. Shared by all replicas. */
  consume(limit: Exclude<Limit, 'guess'>, place: Place, subject: string): Promise<void>
  /** As `consume`, and gives the call back when it is refused for want of room to hash: it did nothing. */
  admit<T>(
    limit: 'login' | 'signup',
    place: Place,
    call: { subject: string; work: () => Promise<T> },
  ): Promise<T>
  /**
   * Looks whether a client's code is right, and counts it when it is wrong; RATE_LIMIT_EXCEEDED, and no
   * look, after too many of those.
   */
  guess(place: Place, address: string, isRight: () => Promise<boolean>): Promise<boolean>
}

/**
 * The library's own script, but for two things: a call that is refused adds nothing, and what is given back never
 * leaves less than nothing. Otherwise a call that is given back would not be as if it had never been.
 *
 * ARGV: points (negative: given back), seconds of a window, points of a window. Answers what is used, with the points
 * asked for, and the milliseconds until the window ends.
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
    recoverClient: limiterOf('recoverClient'),
    resendClient: limiterOf('resendClient'),
    guess: limiterOf('guess'),
    recover: limiterOf('recover'),
    resend: limiterOf('resend'),
  }
  return {
    consume: async (limit, place, subject) => {
      await count(limiters[limit], keyOf(place, subject))
    },
    async admit(limit, place, { subject, work }) {
      const giveBack = await count(limiters[limit], keyOf(place, subject))
      try {
        return await work()
      } catch (err) {
        if (err instanceof NoHashRoomError) await giveBack()
        throw err
      }
    },
    async guess(place, address, isRight) {
      // Counted before, and given back: of many at once no more are looked at than may be wrong.
      const giveBack = await count(limiters.guess, keyOf(place, address))
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

/** Counts one call, and returns what takes it back: in the window that counted it, and in no later one. */
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
