import { bindEntries, type RowGrant } from '@surehook/access/users/row-grants'
import { literalOf, type ValueOfUser, variableOf } from '@surehook/contracts/filter/user-variables'
import type { AccessEntry } from '@surehook/contracts/http/data/access'
import { assignedFields } from '@surehook/contracts/http/data/names'
import { type Column, fieldTypes } from '../table-definition.ts'
import { parseColumnValue } from '../values/column-value.ts'

/** A rule with the values of one user in the place of its variables. */
export type Grant = RowGrant & {
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

/** Binds the entries that apply to the user. A role without a rule leaves no limit. */
export function bindGrants(entries: readonly AccessEntry[], { columns, valueOf }: Binding): Grants {
  const binding = {
    valueOf,
    // Built on demand, because most entries are roles without a rule.
    get fields() {
      return fieldTypes({ columns })
    },
  }
  return bindEntries(entries, binding, (rule) => {
    const set = bindSet(rule.set ?? {}, { columns, valueOf })
    return set === null ? null : { set }
  })
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

/**
 * Returns the JSON of a record without the columns that the grants do not show. A writer gets the
 * assigned fields also of a record that it may not read.
 */
export function shownBy(grants: readonly Grant[]): (record: string) => string {
  return (text) => {
    const record = JSON.parse(text) as Record<string, unknown>
    const admitting = grants.filter(({ admits }) => admits(record, []))
    if (admitting.some(({ columns }) => columns === null)) return text
    const shown = Object.entries(record).filter(
      ([field]) =>
        Object.hasOwn(assignedFields, field) ||
        admitting.some(({ columns }) => columns?.has(field)),
    )
    return JSON.stringify(Object.fromEntries(shown))
  }
}
