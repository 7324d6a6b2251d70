import { AppError } from '@surehook/service-kit/errors'
import type { RedisClient } from '@surehook/service-kit/redis/client'
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import type { TenantIdentity } from '../platform/tenant.ts'
import { keyOf } from './account-key.ts'
import { codesPerDay, codesPerHour } from './code-budget.ts'
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
  // Counted per environment and purpose: wrong short codes.
  codesPerHour: { points: codesPerHour, duration: 3_600 },
  codesPerDay: { points: codesPerDay, duration: 86_400 },
} as const
type Limit = keyof typeof limits

type Subject = Exclude<Limit, 'guess' | 'codesPerHour' | 'codesPerDay'>
type CodePurpose = 'verification' | 'recovery'

/** A try of a code. `shortCode`: its purpose, if the code is short. */
export type Guess = { client: string; shortCode: CodePurpose | null }

export type RateLimits = {
  /** Counts one call. Throws RATE_LIMIT_EXCEEDED above the limit. All replicas share the counts. */
  consume(limit: Subject, tenant: TenantIdentity, subject: string): Promise<void>
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
   * Checks a client's code, and counts it if it is wrong. Throws RATE_LIMIT_EXCEEDED without a check
   * after too many wrong codes of the client, and for a short recovery code after too many of the
   * environment. A short verification code is counted and always checked: the specification lets
   * the code of a signup confirm it within an hour.
   */
  guess(tenant: TenantIdentity, guess: Guess, isRight: () => Promise<boolean>): Promise<boolean>
  /** The environment had so many wrong codes of the purpose that new ones must be long. */
  areShortCodesUsedUp(tenant: TenantIdentity, purpose: CodePurpose): Promise<boolean>
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
  const limiters = openLimiters(redis)
  const budgetOf = (tenant: TenantIdentity, purpose: CodePurpose) =>
    [limiters.codesPerHour, limiters.codesPerDay].map((limiter): Counted => {
      return { limiter, key: keyOf(tenant, purpose) }
    })
  const countShort = async (tenant: TenantIdentity, shortCode: CodePurpose | null) => {
    if (shortCode === null) return nothingCounted
    try {
      return await count(budgetOf(tenant, shortCode))
    } catch (err) {
      if (!(err instanceof AppError) || err.code !== 'RATE_LIMIT_EXCEEDED') throw err
      if (shortCode === 'verification') return nothingCounted
      throw new AppError('RATE_LIMIT_EXCEEDED', usedUp, { retryAfterS: err.retryAfterS })
    }
  }
  const countGuess = async (tenant: TenantIdentity, { client, shortCode }: Guess) => {
    const returnOfClient = await count([{ limiter: limiters.guess, key: keyOf(tenant, client) }])
    try {
      const returnShort = await countShort(tenant, shortCode)
      return () => Promise.all([returnOfClient(), returnShort()])
    } catch (err) {
      await returnOfClient()
      throw err
    }
  }
  return {
    consume: async (limit, tenant, subject) => {
      await count([{ limiter: limiters[limit], key: keyOf(tenant, subject) }])
    },
    async admit(limit, tenant, { subject, work }) {
      const giveBack = await count([{ limiter: limiters[limit], key: keyOf(tenant, subject) }])
      try {
        return await work()
      } catch (err) {
        if (err instanceof NoHashRoomError) await giveBack()
        throw err
      }
    },
    async guess(tenant, guess, isRight) {
      // Counted first and returned if right: of many simultaneous guesses, no more are checked than
      // may be wrong.
      const giveBack = await countGuess(tenant, guess)
      let isWrong = false
      try {
        isWrong = !(await isRight())
        return !isWrong
      } finally {
        if (!isWrong) await giveBack()
      }
    },
    async areShortCodesUsedUp(tenant, purpose) {
      const used = await Promise.all(
        budgetOf(tenant, purpose).map(async ({ limiter, key }) => {
          const { consumedPoints = 0 } = (await limiter.get(key)) ?? {}
          return consumedPoints >= limiter.points
        }),
      )
      return used.includes(true)
    },
  }
}

const usedUp = 'Too many wrong codes were sent: request a new code, which is longer'

function openLimiters(redis: RedisClient): Readonly<Record<Limit, RateLimiterRedis>> {
  const limiterOf = (name: Limit) =>
    new RateLimiterRedis({
      storeClient: redis,
      useRedisPackage: true,
      keyPrefix: `auth:rate:${name}`,
      customIncrTtlLuaScript: countScript,
      ...limits[name],
    })
  return {
    signup: limiterOf('signup'),
    login: limiterOf('login'),
    consoleCode: limiterOf('consoleCode'),
    consoleCredential: limiterOf('consoleCredential'),
    recoverClient: limiterOf('recoverClient'),
    resendClient: limiterOf('resendClient'),
    guess: limiterOf('guess'),
    recover: limiterOf('recover'),
    resend: limiterOf('resend'),
    codesPerHour: limiterOf('codesPerHour'),
    codesPerDay: limiterOf('codesPerDay'),
  }
}

type Counted = { limiter: RateLimiterRedis; key: string }
type GiveBack = () => Promise<void>

const nothingCounted: GiveBack = async () => {}

/**
 * Counts one call in every place, or in none if one refuses. Returns a function that takes the
 * counts back, but only within the windows that counted it.
 */
async function count(places: readonly Counted[]): Promise<GiveBack> {
  const counts = await Promise.all(places.map(countIn))
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
async function countIn({ limiter, key }: Counted) {
  try {
    const { msBeforeNext } = await limiter.consume(key)
    const endsAt = performance.now() + msBeforeNext
    const giveBack: GiveBack = async () => {
      if (performance.now() < endsAt) await limiter.reward(key)
    }
    return { refusedForMs: 0, giveBack }
  } catch (err) {
    if (!(err instanceof RateLimiterRes)) throw err
    return { refusedForMs: Math.max(1, err.msBeforeNext), giveBack: nothingCounted }
  }
}
