import type { Pool, PoolClient } from 'pg'
import { quoteIdent } from '../../sql/quote.ts'
import type { TableDefinition } from '../../table-definition.ts'
import { tryLockSchema, unlockSchema } from '../table-catalogue.ts'
import { SchemaBusy, whenFree } from './change-schema.ts'
import { qualifiedTable } from './table-ddl.ts'

/** Building the index of a very large table takes long, but only the caller waits for it. */
const buildTimeoutMs = 600_000

export type IndexWish = { name: string; columns: readonly string[]; unique?: boolean }

/** Runs work outside of a transaction while nothing else changes the tables of the environment. */
export async function withSchemaLocked(
  pool: Pool,
  schema: string,
  work: (client: PoolClient) => Promise<void>,
): Promise<void> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    await whenFree(async () => {
      if (!(await tryLockSchema(client, schema, 'session'))) throw new SchemaBusy()
    })
    await work(client)
  } catch (err) {
    broken = err instanceof Error ? err : new Error(String(err))
    throw err
  } finally {
    // Closing the connection also releases its locks and settings.
    client.release(broken ?? (await restore(client, schema)))
  }
}

async function restore(client: PoolClient, schema: string): Promise<Error | undefined> {
  try {
    await client.query('reset lock_timeout; reset statement_timeout')
    await unlockSchema(client, schema)
    return undefined
  } catch (err) {
    return err instanceof Error ? err : new Error(String(err))
  }
}

/** Builds the index without blocking writers. Replaces what an interrupted build left. */
export async function buildIndex(
  client: PoolClient,
  table: TableDefinition,
  { name, columns, unique = false }: IndexWish,
): Promise<void> {
  await client.query(`set lock_timeout = 0`)
  await client.query(`set statement_timeout = ${buildTimeoutMs}`)
  const build = (text: string) =>
    client.query({ text, query_timeout: buildTimeoutMs } as { text: string })
  const index = quoteIdent(name)
  await build(`drop index concurrently if exists ${quoteIdent(table.schema)}.${index}`)
  await build(
    `create ${unique ? 'unique ' : ''}index concurrently ${index}
       on ${qualifiedTable(table)} (${columns.map(quoteIdent).join(', ')})`,
  )
}
