import { AppError } from '@surehook/service-kit/errors'
import type { RedisClient } from '@surehook/service-kit/redis/client'
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import { keyOf } from './account-key.ts'

type Place = { readonly projectId: string; readonly environment: string }

/** `subject` is a client's address for the first two, an e-mail address for the others. */
const perMinute = { signup: 10, login: 20, recover: 5, resend: 5 } as const

export type RateLimits = {
  /** Counts one call; RATE_LIMIT_EXCEEDED when it is one too many. Shared by all replicas. */
  consume(operation: keyof typeof perMinute, place: Place, subject: string): Promise<void>
  /** For what has no limit of its own: nothing begins here that Redis would have to end. */
  demandReady(): Promise<void>
}

export function createRateLimits(redis: RedisClient): RateLimits {
  const limiterOf = (name: keyof typeof perMinute) =>
    new RateLimiterRedis({
      storeClient: redis,
      useRedisPackage: true,
      keyPrefix: `auth:rate:${name}`,
      points: perMinute[name],
      duration: 60,
    })
  const limiters = {
    signup: limiterOf('signup'),
    login: limiterOf('login'),
    recover: limiterOf('recover'),
    resend: limiterOf('resend'),
  }
  return {
    async demandReady() {
      await redis.ping()
    },
    async consume(operation, place, subject) {
      try {
        await limiters[operation].consume(keyOf(place, subject))
      } catch (err) {
        if (!(err instanceof RateLimiterRes)) throw err
        const retryAfterS = Math.max(1, Math.ceil(err.msBeforeNext / 1000))
        throw new AppError('RATE_LIMIT_EXCEEDED', 'Too many requests', { retryAfterS })
      }
    },
  }
}
