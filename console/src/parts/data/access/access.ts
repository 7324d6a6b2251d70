import type { Table } from '@surehook/client'

export const actions = ['read', 'create', 'update', 'delete'] as const
export type Action = (typeof actions)[number]

/** A role, or a rule that limits a role to some records and columns. */
export type Entry = Table['access'][Action][number]
export type Rule = Exclude<Entry, string>

/** The roles and rules of each action. */
export type Access = Readonly<Record<Action, readonly Entry[]>>

export const noAccess: Access = { read: [], create: [], update: [], delete: [] }

export const roleOf = (entry: Entry): string => (typeof entry === 'string' ? entry : entry.role)

export const isRule = (entry: Entry): entry is Rule => typeof entry !== 'string'

/** A rule without a limit is as good as its role. */
export const isLimited = (entry: Entry): entry is Rule =>
  isRule(entry) && [entry.where, entry.columns, entry.set].some((limit) => limit !== undefined)

/** Entries add up, so one without a limit leaves no limit. */
export function grantOf(entries: readonly Entry[], role: string): 'no' | 'some' | 'yes' {
  const own = entries.filter((entry) => roleOf(entry) === role)
  if (own.length === 0) return 'no'
  return own.every(isLimited) ? 'some' : 'yes'
}

/** Every role that exists, or that may do something, by name. */
export function rolesOf(access: Access, defined: readonly string[]): string[] {
  const named = actions.flatMap((action) => access[action].map(roleOf))
  return [...new Set([...defined, ...named])].toSorted((a, b) => a.localeCompare(b))
}

/** A rule, and its place in the list of its action. */
export type PlacedRule = { action: Action; index: number; rule: Rule }

export const rulesOf = (access: Access): PlacedRule[] =>
  actions.flatMap((action) =>
    [...access[action].entries()].flatMap(([index, entry]) =>
      isRule(entry) ? [{ action, index, rule: entry }] : [],
    ),
  )
