import { AppError } from '@surehook/service-kit/errors'
import type { RedisClient } from '@surehook/service-kit/redis/client'
import type { TenantIdentity } from '../platform/tenant.ts'
import { type GiveBack, type Limit, openCounts } from './counts.ts'
import { NoHashRoomError } from './no-hash-room-error.ts'

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

export function createRateLimits(redis: RedisClient): RateLimits {
  const { count, isUsedUp } = openCounts(redis)
  const countShort = async (tenant: TenantIdentity, shortCode: CodePurpose | null) => {
    if (shortCode === null) return []
    const counted: GiveBack[] = []
    try {
      for (const limit of codeLimits) counted.push(await count(limit, tenant, shortCode))
      return counted
    } catch (err) {
      await returnAll(counted)
      if (!(err instanceof AppError) || err.code !== 'RATE_LIMIT_EXCEEDED') throw err
      if (shortCode === 'verification') return []
      throw new AppError('RATE_LIMIT_EXCEEDED', usedUp, { retryAfterS: err.retryAfterS })
    }
  }
  const countGuess = async (tenant: TenantIdentity, { client, shortCode }: Guess) => {
    const ofClient = await count('guess', tenant, client)
    try {
      return [ofClient, ...(await countShort(tenant, shortCode))]
    } catch (err) {
      await ofClient()
      throw err
    }
  }
  return {
    consume: async (limit, tenant, subject) => {
      await count(limit, tenant, subject)
    },
    async admit(limit, tenant, { subject, work }) {
      const giveBack = await count(limit, tenant, subject)
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
      const counted = await countGuess(tenant, guess)
      let isWrong = false
      try {
        isWrong = !(await isRight())
        return !isWrong
      } finally {
        if (!isWrong) await returnAll(counted)
      }
    },
    async areShortCodesUsedUp(tenant, purpose) {
      const used = codeLimits.map((limit) => isUsedUp(limit, tenant, purpose))
      return (await Promise.all(used)).includes(true)
    },
  }
}

/** An environment has both for each purpose. */
const codeLimits = ['codesPerHour', 'codesPerDay'] as const

const usedUp = 'Too many wrong codes were sent: request a new code, which is longer'

const returnAll = (counted: readonly GiveBack[]) => Promise.all(counted.map((one) => one()))
