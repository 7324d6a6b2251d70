import { compileFilter, type RecordPredicate } from '@surehook/contracts/filter/compile-filter'
import type { Filter } from '@surehook/contracts/filter/filter'
import { parseFilter } from '@surehook/contracts/filter/parse-filter'
import {
  bindVariables,
  literalOf,
  type ValueOfUser,
  variableOf,
} from '@surehook/contracts/filter/user-variables'
import type { AccessEntry, AccessRule } from '@surehook/contracts/http/data/access'
import { everyUser } from '@surehook/contracts/http/data/owner-access'
import { type Column, fieldTypes } from '../table-definition.ts'
import { parseColumnValue } from '../values/column-value.ts'

/** A rule with the values of one user in the place of its variables. */
export type Grant = {
  /** The records that it admits. */
  filter: Filter
  admits: RecordPredicate
  /** The columns that it shows, or that the caller may send; `null` for all. */
  columns: ReadonlySet<string> | null
  /** The values that the platform writes, which the caller may not send. */
  set: Readonly<Record<string, unknown>>
}

/** What rules leave of an action: the union of the grants. `null`: all records and columns. */
export type Grants = readonly Grant[] | null

/** The limits that rules of a table put on one call of a user. */
export type RowLimits = {
  /** On the call's action. */
  action: Grants
  /** On reading, for the answer. An empty list shows nothing but the id and the times. */
  read: Grants
}

type Columns = readonly Column[]
type Binding = { columns: Columns; valueOf: ValueOfUser }

/** True if the entry names a role of the user, or every user. */
export const appliesTo = (entry: AccessEntry, roles: readonly string[]): boolean => {
  const role = typeof entry === 'string' ? entry : entry.role
  return role === everyUser || roles.includes(role)
}

const isUnlimited = (entry: AccessEntry): boolean =>
  typeof entry === 'string' ||
  [entry.where, entry.columns, entry.set].every((limit) => limit === undefined)

/** Binds the entries that apply to the user. A role without a rule leaves no limit. */
export function bindGrants(entries: readonly AccessEntry[], binding: Binding): Grants {
  if (entries.some(isUnlimited)) return null
  const rules = entries.filter((entry) => typeof entry !== 'string')
  return rules.flatMap((rule) => bindRule(rule, binding) ?? [])
}

/** Returns `null` if the user lacks a value that the rule names, or if the value does not fit. */
function bindRule(rule: AccessRule, { columns, valueOf }: Binding): Grant | null {
  const where = bindVariables(rule.where ?? {}, valueOf)
  const set = bindSet(rule.set ?? {}, { columns, valueOf })
  if (where === null || set === null) return null
  const parsed = parseFilter(where, { fields: fieldTypes({ columns }), changed: false })
  if (!parsed.ok) return null
  return {
    filter: parsed.filter,
    admits: compileFilter(parsed.filter),
    columns: rule.columns === undefined ? null : new Set(rule.columns),
    set,
  }
}

function bindSet(
  set: Readonly<Record<string, unknown>>,
  { columns, valueOf }: Binding,
): Record<string, unknown> | null {
  const bound = Object.entries(set).map(([column, value]): [string, unknown] => {
    const name = variableOf(value)
    return [column, name === null ? literalOf(value) : valueOf(name)]
  })
  const fits = bound.every(([name, value]) => {
    const column = columns.find((of) => of.name === name)
    return column !== undefined && value !== undefined && fitsColumn(column, value)
  })
  return fits ? Object.fromEntries(bound) : null
}

const fitsColumn = (column: Column, value: unknown): boolean =>
  value === null ? !column.required : 'text' in parseColumnValue(column, value)

/** Returns the JSON of a record without the columns that the grants do not show. */
export function shownBy(grants: readonly Grant[]): (record: string) => string {
  return (text) => {
    const record = JSON.parse(text) as Record<string, unknown>
    const admitting = grants.filter(({ admits }) => admits(record, []))
    if (admitting.some(({ columns }) => columns === null)) return text
    const shown = Object.entries(record).filter(
      ([field]) => alwaysShown.has(field) || admitting.some(({ columns }) => columns?.has(field)),
    )
    return JSON.stringify(Object.fromEntries(shown))
  }
}

/** A writer gets these fields also of a record that it may not read. */
const alwaysShown: ReadonlySet<string> = new Set(['id', 'createdAt', 'updatedAt'])
