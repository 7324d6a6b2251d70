import { isDeepStrictEqual } from 'node:util'
import { deliveryEventTables } from '@surehook/contracts/events/delivery-events'
import type { FieldType } from '@surehook/contracts/filter/filter'
import { parseFilter } from '@surehook/contracts/filter/parse-filter'
import { settleOperands } from '@surehook/contracts/filter/settle-operands'
import { assignedFields } from '@surehook/contracts/http/data/names'
import type { Wishes } from '../file/wishes.ts'
import type { State } from './steps.ts'

export type Fields = ReadonlyMap<string, FieldType>
type Filter = Record<string, unknown> | null

/** The fields of each table once the file is applied. */
export function knownFields({ tables = {} }: Wishes, state: State): ReadonlyMap<string, Fields> {
  const known = new Map<string, Map<string, FieldType>>()
  const add = (table: string, base: object, columns: readonly [string, FieldType][]) => {
    const fields = known.get(table) ?? new Map<string, FieldType>(Object.entries(base))
    for (const [name, type] of columns) fields.set(name, type)
    known.set(table, fields)
  }
  for (const { name, columns, source } of state.tables ?? []) {
    // The columns of a table of a source are all its fields. They may not be known yet.
    if (source && columns.length === 0) continue
    const typed = columns.map((column): [string, FieldType] => [column.name, column.type])
    add(name, source ? {} : assignedFields, typed)
  }
  for (const [name, { columns }] of Object.entries(tables)) {
    if (columns === undefined) continue
    const typed = Object.entries(columns).map(([column, { type }]): [string, FieldType] => [
      column,
      type,
    ])
    add(name, assignedFields, typed)
  }
  return new Map<string, Fields>([...known, ...deliveryEventTables])
}

/**
 * Compares filters as the API stores them: `total: "12.50"` is stored as `total: 12.5`. A filter
 * that does not fit the table is compared as it is written, and the API refuses it.
 */
export function sameFilter(a: Filter, b: Filter, fields: Fields | undefined): boolean {
  return isDeepStrictEqual(settled(a, fields), settled(b, fields))
}

function settled(filter: Filter, fields: Fields | undefined): Filter {
  if (filter === null || fields === undefined) return filter
  if (!parseFilter(filter, { fields }).ok) return filter
  const result = settleOperands(filter, fields)
  return result.ok ? result.filter : filter
}
