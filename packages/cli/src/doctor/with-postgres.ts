import { Client } from 'pg'
import { databaseUrlOf } from '../lib/connections.ts'
import type { Target } from './target.ts'

/** Runs one check with its own connection to the services' database. All waits have timeouts. */
export const withPostgres = <T>(
  { env }: Pick<Target, 'env'>,
  use: (client: Client) => Promise<T>,
): Promise<T> => withDatabase(databaseUrlOf(env), use)

export async function withDatabase<T>(
  connectionString: string,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client({
    connectionString,
    application_name: 'surehook-doctor',
    connectionTimeoutMillis: 5_000,
    query_timeout: 10_000,
  })
  // A broken connection also rejects the query in flight. Without a listener it would end the
  // process.
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}
