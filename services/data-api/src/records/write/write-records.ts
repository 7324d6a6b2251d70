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
import {
  type ColumnChanges,
  type ColumnValues,
  changedValues,
  newRecordValues,
} from '../record-values.ts'
import { RefusedRow } from '../sql/run-statement.ts'
import type { SharedGets } from '../sql/shared-gets.ts'
import {
  type Candidate,
  candidatesOf,
  refusedValues,
  ruledInsert,
  ruledUpdate,
} from './candidates.ts'
import { type ChangeOrigin, changeHead } from './change-head.ts'
import { runWrite, type Write } from './run-write.ts'
import type { SharedInserts } from './shared-inserts.ts'
import { conflictingColumn, uniqueConflict } from './unique-conflict.ts'

export type RecordDeps = {
  pool: Pool
  tables: TableCache
  /** If set, single new records share statements. */
  inserts?: SharedInserts | undefined
  /** If set, reads of one record share statements. */
  gets?: SharedGets | undefined
  /** Runs a statement that no other request shares. */
  enter: Enter
}

export type Enter = <T>(tenant: Tenant, work: () => Promise<T>) => Promise<T>

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
    const bulk = isBulk(inputs)
    const rows = readRows(known, bulk ? inputs : [inputs], bulk)
    const heads = rows.map(() => changeHead('INSERT', tenant, { ...origin, table }))
    const records = await insert(deps, known, { tenant, heads, rows, once, bulk })
    return records.length === 0 ? null : records
  })
  if (created === null) throw new Error('an insert into a table that is there made no record')
  return created
}

/** Returns the candidates of each new record: one without rules. */
function readRows(
  { definition: { columns }, limits }: KnownTable,
  inputs: readonly RecordInput[],
  bulk: boolean,
): Candidate<ColumnValues>[][] {
  const violations: RuledViolation[] = []
  const grants = limits?.action ?? null
  const rows = inputs.map((input, index) =>
    candidatesOf(grants, input, { prefix: bulk ? `${index}.` : '', violations }, (faults, set) =>
      newRecordValues(columns, input, faults, set),
    ),
  )
  if (violations.length > 0) throw invalid(violations.slice(0, maxViolations))
  return rows
}

const isBulk = (inputs: RecordInput | readonly RecordInput[]): inputs is readonly RecordInput[] =>
  Array.isArray(inputs)

type Insert = {
  tenant: Tenant
  heads: readonly string[]
  rows: readonly Candidate<ColumnValues>[][]
  once: KeyedRequest | undefined
  bulk: boolean
}

async function insert(
  { pool, inserts, enter }: RecordDeps,
  known: KnownTable,
  { tenant, heads, rows, once, bulk }: Insert,
): Promise<StoredRecord[]> {
  const grants = known.limits?.action ?? null
  const [head] = heads
  const values = rows.flatMap(([first]) => (first === undefined ? [] : [first.values]))
  const [only] = values
  try {
    if (grants !== null) {
      const call = { statement: 'insert', ...ruledInsert(grants, heads, rows), once } as const
      return await enter(tenant, () => runWrite(pool, known, call))
    }
    if (inserts !== undefined && !bulk && head !== undefined && only) {
      const text = await inserts.run(tenant, known, { head, values: only, once })
      if (text !== null || once === undefined) return asStored(known, text)
    }
    const write = { statement: 'insert', values: insertValues(heads, values), once } as const
    return await enter(tenant, () => runWrite(pool, known, write))
  } catch (err) {
    const refusal = () => writeError(pool, { known, rows: values, bulk }, err)
    // Only for a caller with rules does it ask PostgreSQL without a slot of the request.
    throw await (known.limits === undefined ? refusal() : enter(tenant, refusal))
  }
}

type RefusedWrite = { known: KnownTable; rows: readonly ColumnValues[]; bulk: boolean }

/** Returns the error that the caller gets for one of PostgreSQL. */
async function writeError(
  pool: Pool,
  { known, rows, bulk }: RefusedWrite,
  err: unknown,
): Promise<unknown> {
  if (err instanceof RefusedRow) return refusedValues(err, bulk)
  const column = conflictingColumn(known.definition, err)
  if (column === undefined) return err
  return uniqueConflict(pool, { known, column, rows, bulk }, err)
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
    const { limits, definition } = known
    const changes = readChanges(known, input)
    const rows = changes.map((of) => of.values.values)
    const states = statesFor(preconditions, definition.columns.length)
    const [first] = changes
    if (!isUuid(id) || first === undefined) return null
    const head = changeHead('UPDATE', tenant, { ...origin, table })
    if (limits !== undefined) {
      const { values, ruling } = ruledUpdate(definition, limits, changes)
      const write = conditional('update', [head, id, ...values], states)
      return update(deps.pool, known, { ...write, ruling, once, rows })
    }
    // Otherwise an unchanged `updatedAt` would tell a caller who may not read that a guess is right.
    const { given, values } = first.values
    const writesAlways = known.view !== undefined && given.includes(true)
    const plain = [head, id, given, values, writesAlways]
    return update(deps.pool, known, { ...conditional('update', plain, states), once, rows })
  })
  if (changed === null) throw recordNotFound()
  return changed
}

/** Returns the candidates of the change: one without rules, and none if no rule admits any row. */
function readChanges(
  { definition: { columns }, limits }: KnownTable,
  input: RecordInput,
): Candidate<ColumnChanges>[] {
  const violations: RuledViolation[] = []
  const grants = limits?.action ?? null
  const changes = candidatesOf(grants, input, { prefix: '', violations }, (faults, set) =>
    changedValues(columns, input, faults, set),
  )
  if (violations.length > 0) throw invalid(violations.slice(0, maxViolations))
  return changes
}

async function update(
  pool: Pool,
  known: KnownTable,
  { rows, ...write }: Write & { rows: readonly ColumnValues[] },
): Promise<StoredRecord | null> {
  try {
    const [record] = await runWrite(pool, known, write)
    return record ?? null
  } catch (err) {
    throw await writeError(pool, { known, rows, bulk: false }, err)
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
    const action = known.limits?.action ?? null
    const ruling = action === null ? undefined : { action }
    const write = { ...conditional('delete', plain, states), ruling, once }
    const [record] = await runWrite(pool, known, write)
    return record ?? null
  })
  if (deleted === null) throw recordNotFound()
  return deleted
}

function conditional(
  statement: 'update' | 'delete',
  values: readonly unknown[],
  states: RecordStates | null,
): Pick<Write, 'statement' | 'values'> {
  if (states === null) return { statement, values: [...values] }
  return { statement: `${statement}If`, values: [...values, states.only, states.never] }
}
