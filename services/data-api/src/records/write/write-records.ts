import type { RecordInput } from '@surehook/contracts/http/data/records'
import type { RuledViolation } from '@surehook/contracts/problem'
import { AppError, invalid, maxViolations } from '@surehook/service-kit/errors'
import type { KeyedRequest } from '@surehook/service-kit/idempotency/once-per-key'
import type { Pool } from 'pg'
import type { Tenant } from '../../table-definition.ts'
import { insertValues } from '../../tables/record-statements.ts'
import type { KnownTable, TableCache } from '../../tables/table-cache.ts'
import { isUuid } from '../../values/text-value.ts'
import {
  type Preconditions,
  type RecordStates,
  type StoredRecord,
  statesFor,
} from '../preconditions.ts'
import { type ColumnValues, changedValues, newRecordValues } from '../record-values.ts'
import type { SharedGets } from '../sql/shared-gets.ts'
import { type ChangeOrigin, changeHead } from './change-head.ts'
import { runWrite, type Write } from './run-write.ts'
import type { NewRow, SharedInserts } from './shared-inserts.ts'
import { bulkConflict, conflictingColumn, fieldConflict } from './unique-conflict.ts'

export type RecordDeps = {
  pool: Pool
  tables: TableCache
  /** If set, single new records share statements. */
  inserts?: SharedInserts | undefined
  /** If set, reads of one record share statements. */
  gets?: SharedGets | undefined
}

/** The table of a write, and the request behind it. */
export type WriteTarget = {
  tenant: Tenant
  table: string
  origin: ChangeOrigin
  /** Set for a request with an idempotency key: its answer commits together with its changes. */
  once?: KeyedRequest | undefined
}

/** A write to one existing record. */
export type OneTarget = WriteTarget & { id: string; preconditions?: Preconditions | undefined }

export function recordNotFound(): AppError {
  return new AppError('RECORD_NOT_FOUND', 'There is no such record in this table')
}

/** @returns the new records in the order of `inputs`; creates all or none */
export async function createRecords(
  deps: RecordDeps,
  target: WriteTarget,
  inputs: RecordInput | readonly RecordInput[],
): Promise<StoredRecord[]> {
  const { tenant, table, origin, once } = target
  const created = await deps.tables.use(tenant, table, async (known) => {
    const rows = readRows(known, inputs).map((values) => {
      return { head: changeHead('INSERT', tenant, { ...origin, table }), values }
    })
    const records = await insert(deps, known, { tenant, rows, once, bulk: isBulk(inputs) })
    return records.length === 0 ? null : records
  })
  if (created === null) throw new Error('an insert into a table that is there made no record')
  return created
}

function readRows(
  { definition: { columns } }: KnownTable,
  inputs: RecordInput | readonly RecordInput[],
): ColumnValues[] {
  const violations: RuledViolation[] = []
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

type Insert = {
  tenant: Tenant
  rows: readonly NewRow[]
  once: KeyedRequest | undefined
  bulk: boolean
}

async function insert(
  { pool, inserts }: RecordDeps,
  known: KnownTable,
  { tenant, rows, once, bulk }: Insert,
): Promise<StoredRecord[]> {
  const [row] = rows
  try {
    if (inserts !== undefined && !bulk && once === undefined && row !== undefined) {
      return asStored(known, await inserts.run(tenant, known, row))
    }
    return await runWrite(pool, known, { statement: 'insert', values: insertValues(rows), once })
  } catch (err) {
    const column = conflictingColumn(known.definition, err)
    if (column === undefined) throw err
    if (!bulk) throw fieldConflict(column, err)
    const values = rows.map((of) => of.values)
    throw await bulkConflict(pool, { table: known.definition, column, rows: values }, err)
  }
}

/** Reduces the record to what the caller may read. */
export function asStored({ definition, view }: KnownTable, text: string | null): StoredRecord[] {
  if (text === null) return []
  return [{ text: view === undefined ? text : view(text), columns: definition.columns.length }]
}

/** @returns the record after the change */
export async function changeRecord(
  deps: RecordDeps,
  target: OneTarget,
  input: RecordInput,
): Promise<StoredRecord> {
  const { tenant, table, origin, id, once, preconditions = {} } = target
  const changed = await deps.tables.use(tenant, table, async (known) => {
    const violations: RuledViolation[] = []
    const { columns } = known.definition
    const { given, values } = changedValues(columns, input, { prefix: '', violations })
    if (violations.length > 0) throw invalid(violations.slice(0, maxViolations))
    const states = statesFor(preconditions, columns.length)
    if (!isUuid(id)) return null
    // Otherwise an unchanged `updatedAt` would tell a caller who may not read that a guess is right.
    const writesAlways = known.view !== undefined && given.includes(true)
    const head = changeHead('UPDATE', tenant, { ...origin, table })
    const plain = [head, id, given, values, writesAlways]
    return update(deps.pool, known, { ...conditional('update', plain, states), once })
  })
  if (changed === null) throw recordNotFound()
  return changed
}

async function update(pool: Pool, known: KnownTable, write: Write): Promise<StoredRecord | null> {
  try {
    const [record] = await runWrite(pool, known, write)
    return record ?? null
  } catch (err) {
    const column = conflictingColumn(known.definition, err)
    if (column === undefined) throw err
    throw fieldConflict(column, err)
  }
}

/** @returns the record before its deletion */
export async function deleteRecord(
  { pool, tables }: RecordDeps,
  { tenant, table, origin, id, once, preconditions = {} }: OneTarget,
): Promise<StoredRecord> {
  const deleted = await tables.use(tenant, table, async (known) => {
    const states = statesFor(preconditions, known.definition.columns.length)
    if (!isUuid(id)) return null
    const plain = [changeHead('DELETE', tenant, { ...origin, table }), id]
    const [record] = await runWrite(pool, known, { ...conditional('delete', plain, states), once })
    return record ?? null
  })
  if (deleted === null) throw recordNotFound()
  return deleted
}

function conditional(
  statement: 'update' | 'delete',
  values: readonly unknown[],
  states: RecordStates | null,
): Omit<Write, 'once'> {
  if (states === null) return { statement, values: [...values] }
  return { statement: `${statement}If`, values: [...values, states.only, states.never] }
}
