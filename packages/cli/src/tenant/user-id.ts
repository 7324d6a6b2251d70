import { UsageError } from '../cli/command.ts'
import type { TenantCall } from './tenant-command.ts'

export type UserLookup = Pick<TenantCall<{}>, 'surehook' | 'request'>

/** Returns the id of a user that an option names by its id or its address. */
export async function userIdOf(
  option: string,
  user: string,
  { surehook, request }: UserLookup,
): Promise<string> {
  if (!user.includes('@')) return user
  const { users } = await surehook.admin.users.list({ email: user }, request)
  const [found] = users
  if (found === undefined) throw new UsageError(`--${option}: no user has the address "${user}"`)
  return found.id
}
