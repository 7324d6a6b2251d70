import { compileFilter, type RecordPredicate } from '@surehook/contracts/filter/compile-filter'
import type { FieldType, Filter } from '@surehook/contracts/filter/filter'
import { parseFilter } from '@surehook/contracts/filter/parse-filter'
import { bindVariables, type ValueOfUser } from '@surehook/contracts/filter/user-variables'
import type { AccessEntry, AccessRule } from '@surehook/contracts/http/data/access'
import { everyUser } from '@surehook/contracts/http/data/owner-access'

/** A rule with the values of one user in the place of its variables. */
export type RowGrant = {
  /** The records that it admits. */
  filter: Filter
  admits: RecordPredicate
  /** The columns that it shows, or that the caller may send; `null` for all. */
  columns: ReadonlySet<string> | null
}

/** True if the entry names a role of the user, or every user. */
export const appliesTo = (entry: AccessEntry, roles: readonly string[]): boolean => {
  const role = typeof entry === 'string' ? entry : entry.role
  return role === everyUser || roles.includes(role)
}

const isUnlimited = (entry: AccessEntry): boolean =>
  typeof entry === 'string' ||
  [entry.where, entry.columns, entry.set].every((limit) => limit === undefined)

type Binding = { fields: ReadonlyMap<string, FieldType>; valueOf: ValueOfUser }

/**
 * Binds the entries that apply to the user. `null`: a role without a rule leaves no limit.
 * @param more what a grant has besides; `null` if the rule grants nothing
 */
export function bindEntries<More extends object>(
  entries: readonly AccessEntry[],
  binding: Binding,
  more: (rule: AccessRule) => More | null,
): readonly (RowGrant & More)[] | null {
  if (entries.some(isUnlimited)) return null
  return entries.flatMap((entry) => {
    if (typeof entry === 'string') return []
    const [grant, rest] = [bindRule(entry, binding), more(entry)]
    return grant === null || rest === null ? [] : [{ ...grant, ...rest }]
  })
}

/** Returns `null` if the user lacks a value that the rule names, or if the value does not fit. */
function bindRule({ where, columns }: AccessRule, { fields, valueOf }: Binding): RowGrant | null {
  const bound = bindVariables(where ?? {}, valueOf)
  if (bound === null) return null
  const parsed = parseFilter(bound, { fields, changed: false })
  if (!parsed.ok) return null
  return {
    filter: parsed.filter,
    admits: compileFilter(parsed.filter),
    columns: columns === undefined ? null : new Set(columns),
  }
}
