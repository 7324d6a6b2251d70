import { isDeepStrictEqual } from 'node:util'
import type { TableSource } from '@surehook/contracts/http/data/table-source'
import type { OwnTableInput } from '@surehook/contracts/http/data/tables'
import { AppError, invalid } from '@surehook/service-kit/errors'
import { sqlStateOf } from '@surehook/service-kit/postgres/sql-state'
import type { Pool, PoolClient } from 'pg'
import { quoteIdent } from '../sql/quote.ts'
import type { SourceTable, TableDefinition, TableShape, Tenant } from '../table-definition.ts'
import { changeSchema } from './ddl/change-schema.ts'
import { type ColumnStep, evolveTable } from './ddl/evolve-table.ts'
import { preparedState, prepareUnique, type UniqueWish } from './ddl/prepare-unique.ts'
import { indexForRules } from './ddl/rule-indexes.ts'
import { schemaName } from './ddl/schema-name.ts'
import { alterTableSql, createTableSql, qualifiedTable } from './ddl/table-ddl.ts'
import {
  addSourceTable,
  addTable,
  changeSource,
  changeTable,
  claimSchema,
  findTable,
} from './table-catalogue.ts'

export type TablePut = { tenant: Tenant; name: string; input: OwnTableInput }

/** Creates the table or evolves it. A repeated request changes nothing. */
export async function putTable(pool: Pool, put: TablePut): Promise<TableDefinition> {
  const { tenant, name } = put
  const schema = schemaName(tenant)
  await prepare(pool, put)
  const table = await changeSchema(pool, schema, async (tx) => {
    const { current, evolution } = await evolutionOf(tx, put)
    if (!evolution.ok) throw invalid(evolution.violations)
    const { shape, steps, changed } = evolution
    if (current === null) return create(tx, { ...tenant, ...shape, name, schema })
    if (!changed) return current
    if (steps.length > 0) await alter(tx, current, await withPrepared(tx, current, steps))
    return changeTable(tx, current.id, shape)
  })
  await indexForRules(pool, table)
  return table
}

/**
 * Reserves the name for a table of a source, or changes where its rows are. Its columns stay until
 * postgres-source finds others.
 */
export function putSourceTable(
  pool: Pool,
  { tenant, name, source }: Omit<TablePut, 'input'> & { source: TableSource },
): Promise<SourceTable> {
  return changeSchema(pool, schemaName(tenant), async (tx) => {
    const current = await findTable(tx, tenant, name)
    if (current === null) return addSourceTable(tx, { ...tenant, name, source })
    if (current.source === null) throw otherTable('has its records here')
    if (current.source.name !== source.name) throw otherTable('is one of another source')
    return isDeepStrictEqual(current.source, source)
      ? current
      : changeSource(tx, current.id, source)
  })
}

const otherTable = (which: string) =>
  new AppError('CONFLICT', `The table of this name ${which}: delete it first`)

async function evolutionOf(db: Pool | PoolClient, { tenant, name, input }: TablePut) {
  const current = await findTable(db, tenant, name)
  if (current !== null && current.source !== null) throw otherTable('is one of a source')
  const hasRecords = current !== null && (await isFilled(db, current))
  return {
    current,
    hasRecords,
    evolution: evolveTable(current && { ...current, hasRecords }, input),
  }
}

/** Does the slow steps before the transaction, which must be short. */
async function prepare(pool: Pool, put: TablePut): Promise<void> {
  const wish = (db: Pool | PoolClient) => uniqueWish(db, put)
  try {
    if ((await wish(pool)) !== null) await prepareUnique(pool, schemaName(put.tenant), wish)
  } catch (err) {
    // The table was dropped meanwhile, so there is nothing to prepare.
    if (!tableGone.test(sqlStateOf(err) ?? '')) throw err
  }
}

/** The SQLSTATEs for an undefined table and an undefined schema. */
const tableGone = /^(?:42P01|3F000)$/

async function uniqueWish(db: Pool | PoolClient, put: TablePut): Promise<UniqueWish | null> {
  const { current, hasRecords, evolution } = await evolutionOf(db, put)
  if (current === null || !hasRecords || !evolution.ok) return null
  const columns = evolution.steps.flatMap((step) =>
    step.kind === 'add' && step.column.unique ? [step.column] : [],
  )
  return columns.length === 0 ? null : { table: current, columns }
}

async function withPrepared(
  tx: PoolClient,
  table: TableDefinition,
  steps: readonly ColumnStep[],
): Promise<ColumnStep[]> {
  const changed: ColumnStep[] = []
  for (const step of steps) {
    if (step.kind !== 'add') {
      changed.push(step)
      continue
    }
    const { column } = step
    const state = await preparedState(tx, table, column)
    const isReady = state === 'ready' && column.unique && !column.required
    if (isReady) changed.push({ ...step, kind: 'adopt' })
    else if (state === 'none') changed.push(step)
    else changed.push({ kind: 'clear', column }, step)
  }
  return changed
}

async function create(
  tx: PoolClient,
  table: Tenant & TableShape & { name: string; schema: string },
): Promise<TableDefinition> {
  await claimSchema(tx, table.schema, table)
  await tx.query(`create schema if not exists ${quoteIdent(table.schema)}`)
  const added = await addTable(tx, table)
  await tx.query(createTableSql(added))
  return added
}

const notNullViolation = '23502'

async function alter(
  tx: PoolClient,
  table: TableDefinition,
  steps: readonly ColumnStep[],
): Promise<void> {
  try {
    await tx.query(alterTableSql(table, steps))
  } catch (err) {
    if (sqlStateOf(err) !== notNullViolation) throw err
    // The first record was inserted after the check.
    throw invalid([
      {
        field: 'columns',
        message: 'a new required column needs a default',
        rule: 'default_missing',
      },
    ])
  }
}

async function isFilled(db: Pool | PoolClient, table: TableDefinition): Promise<boolean> {
  const { rows } = await db.query<{ filled: boolean }>(
    `select exists (select from ${qualifiedTable(table)}) as filled`,
  )
  return rows[0]?.filled ?? false
}
