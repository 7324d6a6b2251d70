import { Pool, type PoolClient } from 'pg'
import type { Logger } from 'pino'

export type PoolOptions = {
  connectionString: string
  /** Shown in `pg_stat_activity`. */
  applicationName: string
  max?: number
  /** The server ends a statement after this. */
  statementTimeoutMs?: number
  /** A connection is closed after so many. */
  maxUses?: number
  log: Logger
}

const connectTimeoutMs = 3_000
const idleTransactionTimeoutMs = 30_000
/** A connection keeps the plan of every statement it prepared, also of tables that are gone. */
const usesPerConnection = 10_000

/**
 * Every wait is bounded; what fails because the database is away is answered with 503
 * (`toUnavailable`). `bigint` and `numeric` come as strings.
 */
export function openPool(options: PoolOptions): Pool {
  const { connectionString, applicationName, max = 10, statementTimeoutMs = 10_000, log } = options
  const { maxUses = usesPerConnection } = options
  const pool = new Pool({
    connectionString,
    application_name: applicationName,
    max,
    maxUses,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    // The server's limit does not help when the server hangs.
    query_timeout: statementTimeoutMs + 2_000,
    idle_in_transaction_session_timeout: idleTransactionTimeoutMs,
    keepAlive: true,
  })
  // Without a listener a connection that breaks while idle would end the process.
  pool.on('error', (err) => log.warn({ err }, 'postgres.connection_lost'))
  // So would one that breaks between two statements of a transaction; the next of them rejects.
  pool.on('connect', (client) => {
    client.on('error', (err) => log.debug({ err }, 'postgres.connection_lost'))
  })
  return pool
}

/**
 * Commits when `fn` resolves, rolls back when it rejects. An error out of the commit itself leaves open
 * whether it happened.
 */
export async function inTransaction<T>(
  pool: Pool,
  fn: (tx: PoolClient) => Promise<T>,
  { lockTimeoutMs }: { lockTimeoutMs?: number } = {},
): Promise<T> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    const limit = lockTimeoutMs === undefined ? '' : `; set local lock_timeout = ${lockTimeoutMs}`
    await client.query(`begin${limit}`)
    const result = await fn(client)
    await client.query('commit')
    return result
  } catch (err) {
    broken = await rollback(client)
    throw err
  } finally {
    // A connection that could not roll back is not given to the next caller.
    client.release(broken)
  }
}

async function rollback(client: PoolClient): Promise<Error | undefined> {
  try {
    await client.query('rollback')
    return undefined
  } catch (err) {
    return err instanceof Error ? err : new Error(String(err))
  }
}
