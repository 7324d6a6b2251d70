import type { Table } from '@surehook/client'
import type { FieldType } from '@surehook/contracts/filter/filter'
import { assignedFields } from '@surehook/contracts/http/data/names'
import { type AccessEntry, accessOf } from '../lib/access.ts'

export type Column = Table['columns'][number]

/** A column, and whether each entry that applies has it. */
export type Field = { column: Column; isInAll: boolean }

/** The columns of a table that a caller reads and sends. `null`: the caller may not. */
export type TableFields = {
  name: string
  /** The fields that every record has besides the columns. */
  assigned: Readonly<Record<string, FieldType>>
  read: readonly Field[]
  create: readonly Field[] | null
  update: readonly Field[] | null
}

/** What a management token reads and sends. */
export function allFields({
  name,
  columns,
  source,
}: Pick<Table, 'name' | 'columns' | 'source'>): TableFields {
  const read = columns.map((column) => ({ column, isInAll: true }))
  // Nobody writes the rows of a source here.
  if (source) return { name, assigned: {}, read, create: null, update: null }
  return { name, assigned: assignedFields, read, create: read, update: read }
}

/** What a user with this role reads and sends, or `null` if the user may do nothing. */
export function fieldsOf(role: string, { name, columns, access }: Table): TableFields | null {
  const own = accessOf(role, access)
  if (Object.values(own).every(({ length }) => length === 0)) return null
  return {
    name,
    assigned: assignedFields,
    read: fieldsIn(columns, own.read),
    create: own.create.length === 0 ? null : fieldsIn(columns, own.create),
    update: own.update.length === 0 ? null : fieldsIn(columns, own.update),
  }
}

/** The columns that at least one entry has. An entry without a limit leaves no limit. */
function fieldsIn(columns: readonly Column[], entries: readonly AccessEntry[]): Field[] {
  if (entries.some(isUnlimited)) return columns.map((column) => ({ column, isInAll: true }))
  return columns.flatMap((column) => {
    const having = entries.filter((entry) => hasColumn(entry, column.name))
    return having.length === 0 ? [] : [{ column, isInAll: having.length === entries.length }]
  })
}

const isUnlimited = (entry: AccessEntry): boolean =>
  typeof entry === 'string' ||
  [entry.where, entry.columns, entry.set].every((limit) => limit === undefined)

/** Nobody may send a column that the platform sets. */
function hasColumn(entry: AccessEntry, column: string): boolean {
  if (typeof entry === 'string') return true
  const { columns, set = {} } = entry
  return !Object.hasOwn(set, column) && (columns === undefined || columns.includes(column))
}
