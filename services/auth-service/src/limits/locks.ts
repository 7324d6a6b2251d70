import type { UserLock } from '@surehook/contracts/http/admin/user-access'
import type { Tenant } from '../platform/tenant.ts'

/** For whom failed logins lock an account. */
export type LockScope = Tenant['settings']['lockout']['scope']

/**
 * The locks that a login is checked against. The fields are `a` (for all clients, after fifty
 * failures), `c:*` (scope `account`), `c:<address>` (scope `client`) and `k:<address>` (a client that
 * the user has logged in from, which `a` and `c:*` do not hold for).
 * @param reply pairs of a field of the account's hash and the end of its lock, in epoch milliseconds
 */
export function locksOf(reply: readonly (string | number)[], scope: LockScope): UserLock {
  const locks: { client: string | null; ends: number }[] = []
  for (let at = 0; at < reply.length; at += 2) {
    const field = String(reply[at])
    const isOfAll = field === 'a' || field === 'c:*'
    // A change of the scope leaves locks of the other one behind. No login is checked against them.
    if (field.startsWith('c:') && isOfAll !== (scope === 'account')) continue
    locks.push({ client: isOfAll ? null : field.slice(2), ends: Number(reply[at + 1]) })
  }
  const shown = locks
    .toSorted((a, b) => b.ends - a.ends)
    .map(({ client, ends }) => ({ client, lockedUntil: new Date(ends).toISOString() }))
  return { lockedUntil: shown[0]?.lockedUntil ?? null, locks: shown }
}
