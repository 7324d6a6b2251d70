import { Client, type ClientConfig, escapeIdentifier } from 'pg'

const withinMs = 5_000

/** Lets stand-by servers keep a copy of the slot. The slot must not be in use. */
export async function enableSlotFailover(databaseUrl: string, slot: string): Promise<void> {
  const config: ClientConfig & { replication: string } = {
    connectionString: databaseUrl,
    // `ALTER_REPLICATION_SLOT` is a replication command, not SQL: only such a connection accepts
    // it.
    replication: 'database',
    connectionTimeoutMillis: withinMs,
    query_timeout: withinMs,
  }
  const client = new Client(config)
  // A lost connection also rejects the query. Without a listener its event would end the process.
  client.on('error', () => undefined)
  await client.connect()
  try {
    await client.query(`ALTER_REPLICATION_SLOT ${escapeIdentifier(slot)} (FAILOVER true)`)
  } finally {
    await client.end()
  }
}
