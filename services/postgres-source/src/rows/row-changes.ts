import type { ChangeOperation } from '@surehook/contracts/events'
import type { RowMessage, Tuple } from '../wal/pgoutput.ts'
import type { FollowedTable } from './followed-table.ts'

/** One change of one record. */
export type RowChange = {
  operation: ChangeOperation
  recordId: string
  /** JSON text. For DELETE: the row just before it was deleted. */
  record: string
  changedFields: string[]
  /** JSON text of the row before an UPDATE. */
  previous: string | null
}

/** The row was logged without the values that an event needs: its identity is not FULL. */
export class PartialRowError extends Error {
  override readonly name = 'PartialRowError'
}

/**
 * The changes of a row. An update of the primary key deletes one record and inserts another, since
 * changes of two records have no order. An update that changes none of the table's columns, such as
 * one of an excluded column, is no change.
 */
export function rowChanges(table: FollowedTable, message: RowMessage): RowChange[] {
  if (message.tag === 'insert') return [inserted(table, message.row)]
  const { before } = message
  if (before === null) throw new PartialRowError(`The ${message.tag} has no old row`)
  if (message.tag === 'delete') return [deleted(table, before)]
  const row = filled(message.row, before)
  const recordId = table.recordId(row)
  if (recordId !== table.recordId(before)) return [deleted(table, before), inserted(table, row)]
  const changedFields = table.changedFields(before, row)
  if (changedFields.length === 0) return []
  const previous = table.record(before)
  return [{ operation: 'UPDATE', recordId, record: table.record(row), changedFields, previous }]
}

/** A large value that did not change is missing in the new row, and the old row has it. */
function filled(row: Tuple, before: Tuple): Tuple {
  if (!row.includes(undefined)) return row
  return row.map((value, at) => (value === undefined ? before[at] : value))
}

const unchanging = { changedFields: [], previous: null }

const inserted = (table: FollowedTable, row: Tuple): RowChange => ({
  operation: 'INSERT',
  recordId: table.recordId(row),
  record: table.record(row),
  ...unchanging,
})

const deleted = (table: FollowedTable, before: Tuple): RowChange => ({
  operation: 'DELETE',
  recordId: table.recordId(before),
  record: table.record(before),
  ...unchanging,
})
