import type { Access } from '@surehook/contracts/http/data/access'
import type { TableSource } from '@surehook/contracts/http/data/table-source'
import type { Pool, PoolClient } from 'pg'
import type {
  CatalogueTable,
  SourceTable,
  TableDefinition,
  TableShape,
  Tenant,
} from '../table-definition.ts'
import { isoTimestamp } from '../values/value-types.ts'

type Db = Pool | PoolClient

const definitionColumns = `
  id::text, project_id as "projectId", environment, name, schema_name as schema, version, columns, access, source,
  ${isoTimestamp('created_at')} as "createdAt", ${isoTimestamp('updated_at')} as "updatedAt"`

export async function findTable(
  db: Db,
  { projectId, environment }: Tenant,
  name: string,
): Promise<CatalogueTable | null> {
  const { rows } = await db.query<CatalogueTable>({
    name: 'find-table',
    text: `select ${definitionColumns}
             from table_definition
            where project_id = $1 and environment = $2 and name = $3`,
    values: [projectId, environment, name],
  })
  return rows[0] ?? null
}

export async function findTables(
  db: Db,
  { projectId, environment }: Tenant,
): Promise<CatalogueTable[]> {
  const { rows } = await db.query<CatalogueTable>(
    `select ${definitionColumns}
       from table_definition
      where project_id = $1 and environment = $2
      order by name collate "C"`,
    [projectId, environment],
  )
  return rows
}

/** True if the table still has this definition. */
export async function isCurrentTable(
  db: Db,
  { id, version }: Pick<TableDefinition, 'id' | 'version'>,
): Promise<boolean> {
  const { rowCount } = await db.query(
    'select from table_definition where id = $1 and version = $2',
    [id, version],
  )
  return rowCount === 1
}

/** Returns a text that changes whenever the tables of the environment do. */
export async function findVersions(db: Db, { projectId, environment }: Tenant): Promise<string> {
  const { rows } = await db.query<{ versions: string }>({
    name: 'find-versions',
    text: `select coalesce(string_agg(id || '.' || version, ',' order by name collate "C"), '') as versions
             from table_definition
            where project_id = $1 and environment = $2`,
    values: [projectId, environment],
  })
  return rows[0]?.versions ?? ''
}

const schemaKey = 'hashtextextended($1, 0)'

/**
 * Locks the tables of an environment until the end of the transaction or of the session. Returns
 * false if the lock is held.
 */
export async function tryLockSchema(
  db: PoolClient,
  schema: string,
  until: 'transaction' | 'session',
): Promise<boolean> {
  const lock = until === 'transaction' ? 'pg_try_advisory_xact_lock' : 'pg_try_advisory_lock'
  const { rows } = await db.query<{ locked: boolean }>(`select ${lock}(${schemaKey}) as locked`, [
    schema,
  ])
  return rows[0]?.locked ?? false
}

export async function unlockSchema(db: PoolClient, schema: string): Promise<void> {
  await db.query(`select pg_advisory_unlock(${schemaKey})`, [schema])
}

/**
 * Records the environment of the schema. Throws if the schema belongs to another environment. Needs
 * `tryLockSchema`.
 */
export async function claimSchema(
  tx: PoolClient,
  schema: string,
  { projectId, environment }: Tenant,
): Promise<void> {
  await tx.query(
    `insert into environment_schema (schema_name, project_id, environment)
     values ($1, $2, $3)
     on conflict (project_id, environment) do nothing`,
    [schema, projectId, environment],
  )
}

export async function addTable(
  tx: PoolClient,
  table: Tenant & TableShape & { name: string; schema: string },
): Promise<TableDefinition> {
  const { projectId, environment, name, schema, columns, access } = table
  const { rows } = await tx.query<TableDefinition>(
    `insert into table_definition (project_id, environment, name, schema_name, columns, access)
     values ($1, $2, $3, $4, $5, $6)
     returning ${definitionColumns}`,
    [projectId, environment, name, schema, JSON.stringify(columns), JSON.stringify(access)],
  )
  return single(rows)
}

/** Adds a table of a source. Its columns are not known yet. */
export async function addSourceTable(
  tx: PoolClient,
  { projectId, environment, name, source }: Tenant & { name: string; source: TableSource },
): Promise<SourceTable> {
  const { rows } = await tx.query<SourceTable>(
    `insert into table_definition (project_id, environment, name, columns, access, source)
     values ($1, $2, $3, '[]', $4, $5)
     returning ${definitionColumns}`,
    [projectId, environment, name, JSON.stringify(nobody), JSON.stringify(source)],
  )
  return single(rows)
}

const nobody: Access = { read: [], create: [], update: [], delete: [] }

export async function changeSource(
  tx: PoolClient,
  id: string,
  source: TableSource,
): Promise<SourceTable> {
  const { rows } = await tx.query<SourceTable>(
    `update table_definition
        set source = $2, version = version + 1,
            updated_at = greatest(clock_timestamp(), updated_at)
      where id = $1
      returning ${definitionColumns}`,
    [id, JSON.stringify(source)],
  )
  return single(rows)
}

export async function changeTable(
  tx: PoolClient,
  id: string,
  { columns, access }: TableShape,
): Promise<TableDefinition> {
  const { rows } = await tx.query<TableDefinition>(
    `update table_definition
        set columns = $2, access = $3, version = version + 1,
            updated_at = greatest(clock_timestamp(), updated_at)
      where id = $1
      returning ${definitionColumns}`,
    [id, JSON.stringify(columns), JSON.stringify(access)],
  )
  return single(rows)
}

export async function removeTable(tx: PoolClient, id: string): Promise<void> {
  await tx.query('delete from table_definition where id = $1', [id])
}

function single<T>(rows: readonly T[]): T {
  const [row] = rows
  if (row === undefined) throw new Error('the table is not in the catalogue')
  return row
}
