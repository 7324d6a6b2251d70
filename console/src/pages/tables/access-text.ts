import { everyUser } from '@surehook/contracts/http/data/owner-access'
import { type Entry, grantOf, roleOf } from '../../parts/data/access/access.ts'

/** The roles of users that may do an action. A management token needs no role. */
export function accessText(entries: readonly Entry[]): string {
  const roles = [...new Set(entries.map(roleOf))].map((role) => {
    const name = role === everyUser ? 'every user' : role
    return grantOf(entries, role) === 'some' ? `${name} (some)` : name
  })
  return roles.length === 0 ? 'no user' : roles.join(', ')
}
