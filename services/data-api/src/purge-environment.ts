import { deleteInBatches } from '@surehook/service-kit/postgres/delete-in-batches'
import type { Pool } from 'pg'
import { deleteIdsOf } from './publishing/published-ids.ts'
import { quoteIdent } from './sql/quote.ts'
import type { Tenant } from './table-definition.ts'
import { changeSchema } from './tables/ddl/change-schema.ts'
import { dropIn } from './tables/ddl/drop-table.ts'
import { schemaName } from './tables/ddl/schema-name.ts'
import { idempotencyTable } from './tables/record-statements.ts'
import { findTables } from './tables/table-catalogue.ts'

/**
 * Drops the tables of an environment with their records, its schema, its idempotency keys and
 * the ids that it published. Publishes no events, because nobody is left to receive them.
 * @returns true if anything was deleted, or is left
 */
export async function purgeEnvironment(
  pool: Pool,
  tenant: Tenant,
  mayGoOn: () => Promise<boolean>,
): Promise<boolean> {
  const schema = schemaName(tenant)
  const tables = await findTables(pool, tenant)
  for (const table of tables) {
    await changeSchema(pool, schema, (tx) => dropIn(tx, table))
  }
  const hadSchema = await dropSchema(pool, tenant, schema)
  const hadKeys = await deleteKeys(pool, tenant, mayGoOn)
  const hadIds = await deleteIdsOf(pool, tenant, mayGoOn)
  return tables.length > 0 || hadSchema || hadKeys || hadIds
}

/** Does not cascade: the next pass finds a table that was made meanwhile. */
async function dropSchema(pool: Pool, tenant: Tenant, schema: string): Promise<boolean> {
  return changeSchema(pool, schema, async (tx) => {
    const { rowCount } = await tx.query(
      `delete from environment_schema e
        where project_id = $1 and environment = $2
          and not exists (select from table_definition t where t.schema_name = e.schema_name)`,
      [tenant.projectId, tenant.environment],
    )
    if (rowCount !== 0) await tx.query(`drop schema if exists ${quoteIdent(schema)}`)
    return rowCount !== 0
  })
}

/** A scope is the JSON array of project, environment and caller. */
function deleteKeys(
  pool: Pool,
  { projectId, environment }: Tenant,
  mayGoOn: () => Promise<boolean>,
): Promise<boolean> {
  const scope = JSON.stringify([projectId, environment]).slice(0, -1)
  return deleteInBatches(pool, {
    table: idempotencyTable,
    where: 'starts_with(scope, $1)',
    values: [`${scope},`],
    mayGoOn,
  })
}
