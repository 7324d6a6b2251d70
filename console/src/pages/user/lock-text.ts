import type { UserLock } from '@surehook/client'

/** Addresses that are named. The rest is counted. */
const named = 3

/** From where the user cannot sign in. */
export function lockText(locks: UserLock['locks']): string {
  if (locks.some(({ client }) => client === null)) {
    return 'The user can sign in only from addresses that the user has signed in from before.'
  }
  const clients = locks.map(({ client }) => client)
  const further = clients.length - named
  const list = [...clients.slice(0, named), ...(further > 0 ? [`${further} more`] : [])]
  const text = new Intl.ListFormat('en').format(list.map(String))
  return `The user cannot sign in from ${text}. Other addresses are not locked.`
}
