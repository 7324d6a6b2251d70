import { AppError } from '@surehook/service-kit/errors'
import { countedNetworks } from '@surehook/service-kit/http/request/client-networks'
import type { RedisClient } from '@surehook/service-kit/redis/client'
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import type { TenantIdentity } from '../platform/tenant.ts'
import { keyOf } from './account-key.ts'
import { codesPerDay, codesPerHour } from './code-budget.ts'

const perMinute = (points: number) => ({ points, duration: 60 })
const perTenMinutes = (points: number) => ({ points, duration: 600 })

/** Counted per client: in its IPv4 address, or in its IPv6 /64, /56 and /48. */
const clientLimits = {
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
} as const
const otherLimits = {
  // Counted per e-mail address.
  recover: perMinute(5),
  resend: perMinute(5),
  // Counted per environment and purpose: wrong short codes.
  codesPerHour: { points: codesPerHour, duration: 3_600 },
  codesPerDay: { points: codesPerDay, duration: 86_400 },
} as const
const limits = { ...clientLimits, ...otherLimits }
export type Limit = keyof typeof limits

/** Takes a count back, but only within the window that counted it. */
export type GiveBack = () => Promise<void>

export type Counts = {
  /** Counts one call. Throws RATE_LIMIT_EXCEEDED above the limit. All replicas share the counts. */
  count(limit: Limit, tenant: TenantIdentity, subject: string): Promise<GiveBack>
  isUsedUp(limit: Limit, tenant: TenantIdentity, subject: string): Promise<boolean>
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

export function openCounts(redis: RedisClient): Counts {
  const limiterOf = openLimiters(redis)
  const countersOf = (limit: Limit, tenant: TenantIdentity, subject: string): Counter[] => {
    const networks = limit in clientLimits ? countedNetworks(subject) : [alone(subject)]
    return networks.map(({ network, budget }) => {
      return { limiter: limiterOf(limit, budget), key: keyOf(tenant, network) }
    })
  }
  return {
    count: (...call) => countInAll(countersOf(...call)),
    async isUsedUp(...call) {
      const used = await Promise.all(
        countersOf(...call).map(async ({ limiter, key }) => {
          const { consumedPoints = 0 } = (await limiter.get(key)) ?? {}
          return consumedPoints >= limiter.points
        }),
      )
      return used.includes(true)
    },
  }
}

const alone = (subject: string) => ({ network: subject, budget: 1 })

function openLimiters(redis: RedisClient) {
  const limiters = new Map<string, RateLimiterRedis>()
  return (limit: Limit, budget: number): RateLimiterRedis => {
    const { points, duration } = limits[limit]
    const name = `${limit}/${budget}`
    const limiter =
      limiters.get(name) ??
      new RateLimiterRedis({
        storeClient: redis,
        useRedisPackage: true,
        keyPrefix: `auth:rate:${limit}`,
        customIncrTtlLuaScript: countScript,
        points: points * budget,
        duration,
      })
    limiters.set(name, limiter)
    return limiter
  }
}

type Counter = { limiter: RateLimiterRedis; key: string }

/** Counts one call in every counter, or in none if one refuses. */
async function countInAll(counters: readonly Counter[]): Promise<GiveBack> {
  const counts = await Promise.all(counters.map(countIn))
  const giveBack = async () => {
    await Promise.all(counts.map((one) => one.giveBack()))
  }
  const waits = counts.map(({ refusedForMs }) => refusedForMs)
  const longestMs = Math.max(...waits)
  if (longestMs === 0) return giveBack
  await giveBack()
  const retryAfterS = Math.max(1, Math.ceil(longestMs / 1000))
  throw new AppError('RATE_LIMIT_EXCEEDED', 'Too many requests', { retryAfterS })
}

/** `refusedForMs`: until the window ends, or 0 if the call was counted. */
async function countIn({ limiter, key }: Counter) {
  try {
    const { msBeforeNext } = await limiter.consume(key)
    const endsAt = performance.now() + msBeforeNext
    const giveBack: GiveBack = async () => {
      if (performance.now() < endsAt) await limiter.reward(key)
    }
    return { refusedForMs: 0, giveBack }
  } catch (err) {
    if (!(err instanceof RateLimiterRes)) throw err
    const nothing: GiveBack = async () => {}
    return { refusedForMs: Math.max(1, err.msBeforeNext), giveBack: nothing }
  }
}
