import type { Pool, PoolClient } from 'pg'
import type { CatalogueTable, Tenant } from '../../table-definition.ts'
import { requireTable } from '../read-tables.ts'
import { removeTable } from '../table-catalogue.ts'
import { changeSchema } from './change-schema.ts'
import { schemaName } from './schema-name.ts'
import { qualifiedTable } from './table-ddl.ts'

/** Drops the table with all its records. The records make no events. */
export function dropTable(pool: Pool, tenant: Tenant, name: string): Promise<void> {
  return changeSchema(pool, schemaName(tenant), async (tx) => {
    await dropIn(tx, await requireTable(tx, tenant, name))
  })
}

/** A table of a source has nothing here but its name. */
export async function dropIn(tx: PoolClient, table: CatalogueTable): Promise<void> {
  if (table.source === null) await tx.query(`drop table if exists ${qualifiedTable(table)}`)
  await removeTable(tx, table.id)
}
