import type { TableInput } from '@surehook/contracts/http/data'
import { invalid } from '@surehook/service-kit/errors'
import type { Pool, PoolClient } from 'pg'
import { quoteIdent } from '../sql/quote.ts'
import { sqlStateOf } from '../sql/sql-state.ts'
import { changeSchema } from './change-schema.ts'
import { type ColumnStep, evolveTable } from './evolve-table.ts'
import { schemaName } from './schema-name.ts'
import { addTable, changeTable, claimSchema, findTable } from './table-catalogue.ts'
import { alterTableSql, createTableSql, qualifiedTable } from './table-ddl.ts'
import type { TableDefinition, TableShape, Tenant } from './table-definition.ts'

export type TablePut = { tenant: Tenant; name: string; input: TableInput }

/** Creates the table or evolves it; asking again for what it already is changes nothing. */
export function putTable(pool: Pool, { tenant, name, input }: TablePut): Promise<TableDefinition> {
  const schema = schemaName(tenant)
  return changeSchema(pool, schema, async (tx) => {
    const current = await findTable(tx, tenant, name)
    const hasRecords = current !== null && (await isFilled(tx, current))
    const evolution = evolveTable(current && { ...current, hasRecords }, input)
    if (!evolution.ok) throw invalid(evolution.violations)
    const { shape, steps, changed } = evolution
    if (current === null) return create(tx, { ...tenant, ...shape, name, schema })
    if (!changed) return current
    if (steps.length > 0) await alter(tx, current, steps)
    return changeTable(tx, current.id, shape)
  })
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
    // The first record came after the check.
    throw invalid([{ field: 'columns', message: 'a new required column needs a default' }])
  }
}

async function isFilled(tx: PoolClient, table: TableDefinition): Promise<boolean> {
  const { rows } = await tx.query<{ filled: boolean }>(
    `select exists (select from ${qualifiedTable(table)}) as filled`,
  )
  return rows[0]?.filled ?? false
}
