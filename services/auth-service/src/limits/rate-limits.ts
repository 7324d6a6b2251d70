import { AppError } from '@surehook/service-kit/errors'
import type { RedisClient } from '@surehook/service-kit/redis/client'
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
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
  /**
   * Looks whether a client's code is right, and counts it when it is wrong; RATE_LIMIT_EXCEEDED, and no
   * look, after too many of those.
   */
  guess(place: Place, address: string, isRight: () => Promise<boolean>): Promise<boolean>
}

export function createRateLimits(redis: RedisClient): RateLimits {
  const limiterOf = (name: Limit) =>
    new RateLimiterRedis({
      storeClient: redis,
      useRedisPackage: true,
      keyPrefix: `auth:rate:${name}`,
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
    consume: (limit, place, subject) => consume(limiters[limit], keyOf(place, subject)),
    async guess(place, address, isRight) {
      const key = keyOf(place, address)
      // Counted before, and given back: of many at once no more are looked at than may be wrong.
      let isWrong = false
      try {
        await consume(limiters.guess, key)
        isWrong = !(await isRight())
        return !isWrong
      } finally {
        if (!isWrong) await limiters.guess.reward(key)
      }
    },
  }
}

async function consume(limiter: RateLimiterRedis, key: string): Promise<void> {
  try {
    await limiter.consume(key)
  } catch (err) {
    if (!(err instanceof RateLimiterRes)) throw err
    const retryAfterS = Math.max(1, Math.ceil(err.msBeforeNext / 1000))
    throw new AppError('RATE_LIMIT_EXCEEDED', 'Too many requests', { retryAfterS })
  }
}
