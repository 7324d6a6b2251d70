import type { Pool, PoolClient } from 'pg'
import { quoteIdent } from '../../sql/quote.ts'
import type { Column, TableDefinition } from '../../table-definition.ts'
import { valueTypes } from '../../values/value-types.ts'
import { buildIndex, withSchemaLocked } from './build-index.ts'
import { lockTimeoutMs, whenFree } from './change-schema.ts'
import { preparedIndex, qualifiedTable } from './table-ddl.ts'

/** A table with records, and the unique columns to add. */
export type UniqueWish = { table: TableDefinition; columns: readonly Column[] }

/**
 * Makes the new unique columns and indexes of a table with records, without blocking writers.
 * Nobody reads or writes the columns until the catalogue names them. If it is interrupted, the next
 * request for the column repeats or removes what is left.
 */
export function prepareUnique(
  pool: Pool,
  schema: string,
  wantedNow: (db: PoolClient) => Promise<UniqueWish | null>,
): Promise<void> {
  return withSchemaLocked(pool, schema, async (client) => {
    // Read again under the lock: a column that is in the catalogue by now holds data.
    const wish = await wantedNow(client)
    for (const column of wish?.columns ?? []) {
      if (wish !== null) await prepareColumn(client, wish.table, column)
    }
  })
}

async function prepareColumn(
  client: PoolClient,
  table: TableDefinition,
  column: Column,
): Promise<void> {
  const name = qualifiedTable(table)
  const index = preparedIndex(table, column.name)
  const state = await preparedState(client, table, column)
  if (state === 'ready') return
  await client.query(`set lock_timeout = ${lockTimeoutMs}`)
  const again = state === 'other' ? `drop column ${quoteIdent(column.name)}, ` : ''
  if (state !== 'column') {
    const add = `add column ${quoteIdent(column.name)} ${valueTypes[column.type].sql}`
    await whenFree(() => client.query(`alter table ${name} ${again}${add}`))
  }
  const key = { name: index, columns: [column.name] }
  await buildIndex(client, table, { ...key, unique: true })
}

/** How far a column is prepared that the catalogue does not name yet. */
export type PreparedState = 'none' | 'other' | 'column' | 'ready'

/** `other` means a column of another type, which is unusable. */
export async function preparedState(
  db: PoolClient,
  table: TableDefinition,
  { name, type }: Pick<Column, 'name' | 'type'>,
): Promise<PreparedState> {
  const { rows } = await db.query<{ state: PreparedState }>(
    `select case
              when a.atttypid <> $3::regtype then 'other'
              when exists (select from pg_index i join pg_class c on c.oid = i.indexrelid
                            where i.indrelid = a.attrelid and c.relname = $4 and i.indisunique and i.indisvalid)
              then 'ready' else 'column'
            end as state
       from pg_attribute a
      where a.attrelid = $1::regclass and a.attname = $2 and not a.attisdropped`,
    [qualifiedTable(table), name, valueTypes[type].cast, preparedIndex(table, name)],
  )
  return rows[0]?.state ?? 'none'
}
