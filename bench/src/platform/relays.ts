import { waitUntil } from '@surehook/service-kit/wait-until'
import type { Client } from 'pg'

/**
 * Waits until the relays have read past everything written here, in which they find nothing to
 * publish. They must not do so during a measurement.
 */
export async function allRelaysPassed(database: Client): Promise<void> {
  const { rows } = await database.query<{ lsn: string }>('select pg_current_wal_lsn()::text as lsn')
  const isPassed = async () => {
    const behind = await database.query(
      'select from pg_replication_slots where active and confirmed_flush_lsn < $1::pg_lsn',
      [rows[0]?.lsn],
    )
    return behind.rowCount === 0
  }
  await waitUntil(isPassed, { what: 'the relays', timeoutMs: 300_000, everyMs: 500 })
}
