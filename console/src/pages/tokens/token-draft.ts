import type { ManagementToken, NewToken, Violation } from '@surehook/client'

export const rights = ['records', 'sources', 'tables', 'users', 'webhooks'] as const
export type Right = (typeof rights)[number]

export const lifetimes = [
  ['1', '1 day'],
  ['30', '30 days'],
  ['90', '90 days'],
  ['365', '1 year'],
  ['never', 'Never'],
] as const

/** A token as the form holds it. No environment means every environment. */
export type TokenDraft = {
  name: string
  environments: readonly string[]
  rights: readonly Right[]
  days: string
}

export const emptyToken: TokenDraft = { name: '', environments: [], rights, days: '90' }

const dayMs = 86_400_000

/** What is missing in the form. */
export function faultsIn({ name, rights: chosen }: TokenDraft): Violation[] {
  const violations: Violation[] = []
  if (name.trim() === '') violations.push({ field: 'name', message: 'must be set' })
  if (chosen.length === 0) violations.push({ field: 'rights', message: 'choose one or more' })
  return violations
}

/** What the API takes. */
export function tokenInputOf(draft: TokenDraft, now: Date): NewToken {
  const { name, environments, days } = draft
  const expiresAt =
    days === 'never' ? null : new Date(now.getTime() + Number(days) * dayMs).toISOString()
  return {
    name: name.trim(),
    environments: environments.length === 0 ? null : [...environments],
    rights: [...draft.rights],
    expiresAt,
  }
}

export const environmentsText = ({ environments }: Pick<ManagementToken, 'environments'>) =>
  environments === null ? 'all' : environments.join(', ')

/** An older auth-service tells no rights: its tokens have all. */
export const rightsText = ({ rights: own }: Partial<Pick<ManagementToken, 'rights'>>): string =>
  own === undefined ? 'all' : own.join(', ')

export const isExpired = ({ expiresAt }: Pick<ManagementToken, 'expiresAt'>, now: Date): boolean =>
  expiresAt !== null && new Date(expiresAt) <= now
