import {
  type UserValue,
  type ValueOfUser,
  variableOf,
  variablesOf,
} from '@surehook/contracts/filter/user-variables'
import type { AccessEntry } from '@surehook/contracts/http/data/access'
import type { IssuedUser } from './user-access.ts'
import type { UserValuesOf } from './user-values.ts'

type Tenant = { projectId: string; environment: string }

export type RuledUser = {
  tenant: Tenant
  id: string
  roles: readonly string[]
  /** Of a user whom auth-service does not know. */
  issued?: IssuedUser | undefined
}

/** Variables that need no question to auth-service, because the access token holds their values. */
const ofToken: ReadonlySet<string> = new Set(['id', 'roles'])

/** Returns the values that the entries name. Asks auth-service only if it has to. */
export async function valuesOf(
  users: Pick<UserValuesOf, 'of'>,
  { tenant, id, roles, issued }: RuledUser,
  entries: readonly AccessEntry[],
): Promise<ValueOfUser> {
  const known = new Map<string, UserValue>([
    ['id', id],
    ['roles', roles],
  ])
  if (issued !== undefined) {
    if (issued.email !== null) known.set('email', issued.email)
    return (name) => known.get(name)
  }
  const names = entries.flatMap((entry) => [...variablesIn(entry)])
  const user = names.every((name) => ofToken.has(name)) ? null : await users.of(tenant, id)
  return (name) => {
    if (ofToken.has(name) || user === null) return known.get(name)
    if (name === 'email') return user.email
    return Object.hasOwn(user.attributes, name) ? user.attributes[name] : undefined
  }
}

/** Returns the variables that a rule names, in its `where` and its `set`. */
export function variablesIn(entry: AccessEntry): Set<string> {
  if (typeof entry === 'string') return new Set()
  const inSet = Object.values(entry.set ?? {}).flatMap((value) => variableOf(value) ?? [])
  return new Set([...variablesOf(entry.where ?? {}), ...inSet])
}
