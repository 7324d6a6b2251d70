import { TableName } from '@surehook/contracts/http/data/names'
import type { Table } from '@surehook/contracts/http/data/tables'
import { AppError } from '@surehook/service-kit/errors'
import type { Pool, PoolClient } from 'pg'
import type { CatalogueTable, TableDefinition, Tenant } from '../table-definition.ts'
import { findTable, findTables } from './table-catalogue.ts'
import { tableView } from './table-view.ts'

/** Rejects with `TABLE_NOT_FOUND` for an unknown table and for an invalid name. */
export async function requireTable(
  db: Pool | PoolClient,
  tenant: Tenant,
  name: string,
): Promise<CatalogueTable> {
  const table = TableName.safeParse(name).success ? await findTable(db, tenant, name) : null
  if (table !== null) return table
  throw new AppError('TABLE_NOT_FOUND', 'There is no such table in this environment')
}

/** Rejects also with `CONFLICT`, for a table of a source. */
export async function requireRecords(
  db: Pool | PoolClient,
  tenant: Tenant,
  name: string,
): Promise<TableDefinition> {
  const table = await requireTable(db, tenant, name)
  if (table.source === null) return table
  const message =
    'The rows of the table are in the database of a source: the data API has no records'
  throw new AppError('CONFLICT', message)
}

export async function listTableViews(db: Pool, tenant: Tenant): Promise<Table[]> {
  return (await findTables(db, tenant)).map(tableView)
}
