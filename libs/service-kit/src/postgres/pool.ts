import { Pool, type PoolClient } from 'pg'
import type { Logger } from 'pino'

export type PoolOptions = {
  connectionString: string
  /** Name shown in `pg_stat_activity`. */
  applicationName: string
  max?: number
  /** Milliseconds after which the server cancels a statement. */
  statementTimeoutMs?: number
  /** Number of uses after which a connection is closed. */
  maxUses?: number
  log: Logger
}

/** The longest wait for a connection, unless the URL sets `connect_timeout`. */
const defaultConnectTimeoutS = 3
/** A transaction that has written and does nothing keeps the WAL of every slot. */
export const idleTransactionTimeoutMs = 30_000
/** A connection keeps the plans of all its prepared statements, even of dropped tables. */
const usesPerConnection = 10_000

/**
 * Opens a pool whose waits all have timeouts. As in libpq, `connect_timeout` of the URL is the
 * longest wait for a connection in seconds, here also for one that others use. Errors of an
 * unreachable database become 503 (`toUnavailable`). `bigint` and `numeric` are returned as strings.
 */
export function openPool(options: PoolOptions): Pool {
  const { connectionString, applicationName, max = 10, statementTimeoutMs = 10_000, log } = options
  const { maxUses = usesPerConnection } = options
  const pool = new Pool({
    connectionString,
    application_name: applicationName,
    max,
    maxUses,
    connectionTimeoutMillis: connectTimeoutMsOf(connectionString),
    statement_timeout: statementTimeoutMs,
    // The server cannot enforce its limit if the server itself hangs.
    query_timeout: statementTimeoutMs + 2_000,
    idle_in_transaction_session_timeout: idleTransactionTimeoutMs,
    keepAlive: true,
  })
  // Without a listener a connection that breaks while idle would end the process.
  pool.on('error', (err) => log.warn({ err }, 'postgres.connection_lost'))
  // A connection that breaks between two statements would end the process, too. The next statement
  // rejects.
  pool.on('connect', (client) => {
    client.on('error', (err) => log.debug({ err }, 'postgres.connection_lost'))
  })
  return pool
}

/** The longest wait for a connection of the pool, for what waits in the place of the pool. */
export const connectTimeoutMs = ({ options }: Pick<Pool, 'options'>): number =>
  options.connectionTimeoutMillis ?? defaultConnectTimeoutS * 1_000

function connectTimeoutMsOf(url: string): number {
  const text = new URL(url).searchParams.get('connect_timeout') ?? `${defaultConnectTimeoutS}`
  const seconds = Number(text)
  if (Number.isInteger(seconds) && seconds > 0) return seconds * 1_000
  throw new Error(`DATABASE_URL: connect_timeout must be a number of seconds from 1, not ${text}`)
}

/**
 * Commits when `fn` resolves and rolls back when it rejects. After an error of the commit itself
 * the outcome is unknown.
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
    // A connection that could not roll back must not be reused.
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
