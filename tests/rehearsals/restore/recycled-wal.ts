import { until } from '@surehook/testing/until'
import { Client } from 'pg'

const recycleWithinMs = 120_000

/** Waits until `pg_wal` has no file from before `file`, as some hours after a backup. */
export async function untilRecycled(databaseUrl: string, file: string): Promise<void> {
  const db = new Client({ connectionString: databaseUrl })
  await db.connect()
  const isRecycled = async () => {
    // Slots advance to the last logged snapshot of running transactions.
    await db.query('select pg_log_standby_snapshot()')
    await db.query('select pg_switch_wal()')
    await db.query('checkpoint')
    const { rows } = await db.query(
      `select name from pg_ls_waldir() where name ~ '^[0-9A-F]{24}$' and name < $1`,
      [file],
    )
    return rows.length === 0
  }
  try {
    await until(isRecycled, {
      what: `the server to give up WAL before ${file}`,
      timeoutMs: recycleWithinMs,
      everyMs: 1_000,
    })
  } finally {
    await db.end()
  }
}
