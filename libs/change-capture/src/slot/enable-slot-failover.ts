import { Client, type ClientConfig, escapeIdentifier } from 'pg'

const withinMs = 5_000

/** Has the server let stand-bys keep a copy of the slot, which nobody may be reading now. */
export async function enableSlotFailover(databaseUrl: string, slot: string): Promise<void> {
  const config: ClientConfig & { replication: string } = {
    connectionString: databaseUrl,
    // It is no SQL, and is understood on such a connection only.
    replication: 'database',
    connectionTimeoutMillis: withinMs,
    query_timeout: withinMs,
  }
  const client = new Client(config)
  // A lost connection also rejects the query; without a listener it would end the process.
  client.on('error', () => undefined)
  await client.connect()
  try {
    await client.query(`ALTER_REPLICATION_SLOT ${escapeIdentifier(slot)} (FAILOVER true)`)
  } finally {
    await client.end()
  }
}
