import type { UserAccount } from '@surehook/client'
import type { Tone } from '../../parts/data/status-badge.tsx'

export function stateOf(user: Pick<UserAccount, 'disabled' | 'emailVerified'>): [Tone, string] {
  if (user.disabled) return ['bad', 'Disabled']
  return user.emailVerified ? ['good', 'Active'] : ['warn', 'Address not confirmed']
}

export const nameOf = ({ firstName, lastName }: Pick<UserAccount, 'firstName' | 'lastName'>) =>
  `${firstName} ${lastName}`.trim() || '–'

export const rolesText = (roles: readonly string[]): string =>
  roles.length === 0 ? 'none' : roles.join(', ')
