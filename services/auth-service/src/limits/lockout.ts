import type { UserLock } from '@surehook/contracts/http/admin/user-access'
import { AppError } from '@surehook/service-kit/errors'
import type { RedisClient } from '@surehook/service-kit/redis/client'
import type { Tenant, TenantIdentity } from '../platform/tenant.ts'
import { keyOf } from './account-key.ts'
import { lockoutScript, locksScript } from './lockout-script.ts'
import { type LockScope, locksOf } from './locks.ts'

export type Attempt = { tenant: Tenant; email: string; client: { readonly address: string } }

/** `isKnown`: the user has logged in from the client. Its own failures alone can lock it then. */
export type CountedAttempt = Attempt & { isKnown: boolean }

export type Lockout = {
  /** Throws AUTH_ACCOUNT_LOCKED during a lock. Works the same for addresses without an account. */
  assertUnlocked(attempt: CountedAttempt): Promise<void>
  /**
   * Counts the result of a password check. Throws AUTH_ACCOUNT_LOCKED if parallel checks locked the
   * account meanwhile, so that this result stays secret.
   */
  settle(attempt: CountedAttempt, outcome: 'success' | 'failure'): Promise<{ locked: boolean }>
  /**
   * The locks that refuse logins now. A lock of another scope than the environment's is left out.
   */
  read(tenant: TenantIdentity, account: { email: string; scope: LockScope }): Promise<UserLock>
  /** Ends every lock of the account and deletes its failures. */
  clear(tenant: TenantIdentity, email: string): Promise<void>
}

export function createLockout(redis: RedisClient): Lockout {
  const run = async ({ tenant, email, client, isKnown }: CountedAttempt, what: string) => {
    const { threshold, duration, scope } = tenant.settings.lockout
    const counted = scope === 'account' ? 'c:*' : `c:${client.address}`
    const reply = await redis.eval(lockoutScript, {
      keys: [redisKey(tenant, email)],
      arguments: [
        what,
        isKnown ? `k:${client.address}` : counted,
        String(threshold),
        String(duration * 1000),
      ],
    })
    const [lockedUntil = 0, byThis = 0] = reply as unknown as number[]
    if (lockedUntil > 0 && byThis === 0) throw locked(new Date(lockedUntil))
    return { locked: byThis === 1 }
  }
  return {
    async assertUnlocked(attempt) {
      await run(attempt, 'check')
    },
    settle: run,
    async read(tenant, { email, scope }) {
      const reply = await redis.eval(locksScript, { keys: [redisKey(tenant, email)] })
      return locksOf(reply as unknown as (string | number)[], scope)
    },
    async clear(tenant, email) {
      await redis.del(redisKey(tenant, email))
    },
  }
}

const redisKey = (tenant: TenantIdentity, email: string) => `auth:lockout:${keyOf(tenant, email)}`

const locked = (lockedUntil: Date) =>
  new AppError('AUTH_ACCOUNT_LOCKED', 'Too many failed logins', { lockedUntil })
