import type { RecordInput } from '@surehook/contracts/http/data'
import { newEventId } from '@surehook/contracts/ids'
import type { Violation } from '@surehook/contracts/problem'
import { AppError, invalid } from '@surehook/service-kit/errors'
import type { Pool } from 'pg'
import { type ChangeOrigin, changeHead } from '../capture/change-head.ts'
import type { KnownTable, TableCache } from '../tables/table-cache.ts'
import type { Tenant } from '../tables/table-definition.ts'
import { isUuid } from '../values/text-value.ts'
import { type ColumnValues, changedValues, newRecordValues } from './record-values.ts'
import { runStatement } from './run-statement.ts'
import { bulkConflict, conflictingColumn, fieldConflict } from './unique-conflict.ts'

export type RecordDeps = { pool: Pool; tables: TableCache }

/** Which table a write is for, and the request behind it. */
export type WriteTarget = { tenant: Tenant; table: string; origin: ChangeOrigin }

export function recordNotFound(): AppError {
  return new AppError('RECORD_NOT_FOUND', 'There is no such record in this table')
}

/** @returns the new records as JSON texts, in the order of `inputs`; all are created or none */
export async function createRecords(
  deps: RecordDeps,
  target: WriteTarget,
  inputs: RecordInput | readonly RecordInput[],
): Promise<string[]> {
  const { tenant, table, origin } = target
  const created = await deps.tables.use(tenant, table, async (known) => {
    const rows = readRows(known, inputs)
    const heads = rows.map(() => changeHead('INSERT', tenant, { ...origin, table }))
    const ids = rows.map(newEventId).toSorted()
    const columns = known.definition.columns.map((_, place) =>
      rows.map((values) => values[place] ?? null),
    )
    const values = [heads, ids, ...columns]
    const records = await insert(deps.pool, known, { rows, values, bulk: isBulk(inputs) })
    return records.length === 0 ? null : records
  })
  if (created === null) throw new Error('an insert into a table that is there made no record')
  return created
}

const maxViolations = 100

function readRows(
  { definition: { columns } }: KnownTable,
  inputs: RecordInput | readonly RecordInput[],
): ColumnValues[] {
  const violations: Violation[] = []
  const rows = isBulk(inputs)
    ? inputs.map((input, index) =>
        newRecordValues(columns, input, { prefix: `${index}.`, violations }),
      )
    : [newRecordValues(columns, inputs, { prefix: '', violations })]
  if (violations.length > 0) throw invalid(violations.slice(0, maxViolations))
  return rows
}

const isBulk = (inputs: RecordInput | readonly RecordInput[]): inputs is readonly RecordInput[] =>
  Array.isArray(inputs)

async function insert(
  pool: Pool,
  known: KnownTable,
  { rows, values, bulk }: { rows: readonly ColumnValues[]; values: unknown[]; bulk: boolean },
): Promise<string[]> {
  try {
    return await runStatement(pool, known, { statement: 'insert', values })
  } catch (err) {
    const column = conflictingColumn(known.definition, err)
    if (column === undefined) throw err
    if (!bulk) throw fieldConflict(column, err)
    throw await bulkConflict(pool, { table: known.definition, column, rows }, err)
  }
}

/** @returns the record after the change, as JSON text */
export async function changeRecord(
  deps: RecordDeps,
  target: WriteTarget & { id: string },
  input: RecordInput,
): Promise<string> {
  const { tenant, table, origin, id } = target
  const changed = await deps.tables.use(tenant, table, async (known) => {
    const violations: Violation[] = []
    const { columns } = known.definition
    const { given, values } = changedValues(columns, input, { prefix: '', violations })
    if (violations.length > 0) throw invalid(violations.slice(0, maxViolations))
    if (!isUuid(id)) return null
    const head = changeHead('UPDATE', tenant, { ...origin, table })
    const [record] = await update(deps.pool, known, [head, id, given, values])
    return record ?? null
  })
  if (changed === null) throw recordNotFound()
  return changed
}

async function update(pool: Pool, known: KnownTable, values: unknown[]): Promise<string[]> {
  try {
    return await runStatement(pool, known, { statement: 'update', values })
  } catch (err) {
    const column = conflictingColumn(known.definition, err)
    if (column === undefined) throw err
    throw fieldConflict(column, err)
  }
}

/** @returns the record as it was, as JSON text */
export async function deleteRecord(
  { pool, tables }: RecordDeps,
  { tenant, table, origin, id }: WriteTarget & { id: string },
): Promise<string> {
  const deleted = await tables.use(tenant, table, async (known) => {
    if (!isUuid(id)) return null
    const values = [changeHead('DELETE', tenant, { ...origin, table }), id]
    const [record] = await runStatement(pool, known, { statement: 'delete', values })
    return record ?? null
  })
  if (deleted === null) throw recordNotFound()
  return deleted
}
