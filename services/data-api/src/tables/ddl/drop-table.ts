import type { Pool } from 'pg'
import type { Tenant } from '../../table-definition.ts'
import { requireTable } from '../read-tables.ts'
import { removeTable } from '../table-catalogue.ts'
import { changeSchema } from './change-schema.ts'
import { schemaName } from './schema-name.ts'
import { qualifiedTable } from './table-ddl.ts'

/** Drops the table with all its records. The records make no events. */
export function dropTable(pool: Pool, tenant: Tenant, name: string): Promise<void> {
  return changeSchema(pool, schemaName(tenant), async (tx) => {
    const table = await requireTable(tx, tenant, name)
    await tx.query(`drop table ${qualifiedTable(table)}`)
    await removeTable(tx, table.id)
  })
}
