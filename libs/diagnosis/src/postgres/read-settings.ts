import type { ClientBase, Pool } from 'pg'

/** Settings of PostgreSQL by name. */
export type Settings = Readonly<Record<string, string>>

const names = [
  'server_version_num',
  'server_version',
  'wal_level',
  'max_replication_slots',
  'max_wal_senders',
  'max_slot_wal_keep_size',
  'synchronous_commit',
  'fsync',
  'full_page_writes',
]

/** Every role may read them. */
export async function readSettings(db: ClientBase | Pool): Promise<Settings> {
  const { rows } = await db.query<{ name: string; setting: string }>(
    'select name, setting from pg_settings where name = any($1)',
    [names],
  )
  return Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))
}

/** WAL after which PostgreSQL gives up a slot. null: never, or unknown. */
export function keptLimitBytes({ max_slot_wal_keep_size: megabytes }: Settings): number | null {
  const limit = Number(megabytes ?? -1)
  return limit < 0 ? null : limit * 1024 * 1024
}
