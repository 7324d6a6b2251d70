import type { ClientBase, Pool } from 'pg'

export type SlotRow = {
  slot: string
  active: boolean
  /** `wal_status`: `reserved`, `extended`, `unreserved` or `lost`. */
  status: string | null
  lagBytes: number | null
  /** WAL that the server keeps for the slot. */
  retainedBytes: number | null
}

/** Reads the slots of the database. Every role may read them. */
export async function readSlots(db: ClientBase | Pool): Promise<SlotRow[]> {
  const { rows } = await db.query<SlotRow>(
    `select slot_name as slot, active, wal_status as status,
            pg_wal_lsn_diff(pg_current_wal_flush_lsn(), confirmed_flush_lsn)::float8 as "lagBytes",
            pg_wal_lsn_diff(pg_current_wal_flush_lsn(), restart_lsn)::float8 as "retainedBytes"
       from pg_replication_slots
      where database = current_database()
      order by slot_name`,
  )
  return rows
}
