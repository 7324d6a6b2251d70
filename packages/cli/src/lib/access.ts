import type { Table } from '@surehook/client'
import { everyUser } from '@surehook/contracts/http/data/owner-access'

export type Access = Table['access']
export type AccessEntry = Access['read'][number]

/** The entries that apply to a user with this role. */
export function accessOf(role: string, access: Access): Access {
  const own = (entries: readonly AccessEntry[]) =>
    entries.filter((entry) => [role, everyUser].includes(roleOf(entry)))
  const { read, create, update, delete: deleting } = access
  return { read: own(read), create: own(create), update: own(update), delete: own(deleting) }
}

const roleOf = (entry: AccessEntry) => (typeof entry === 'string' ? entry : entry.role)
