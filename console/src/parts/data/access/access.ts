import type { Table } from '@surehook/client'

export const actions = ['read', 'create', 'update', 'delete'] as const
export type Action = (typeof actions)[number]

/** The roles that may do each action. */
export type Access = Readonly<Record<Action, readonly string[]>>

export const noAccess: Access = { read: [], create: [], update: [], delete: [] }

/** Every role that exists, or that may do something, by name. */
export function rolesOf(access: Access | Table['access'], defined: readonly string[]): string[] {
  const named = actions.flatMap((action) => access[action])
  return [...new Set([...defined, ...named])].toSorted((a, b) => a.localeCompare(b))
}
