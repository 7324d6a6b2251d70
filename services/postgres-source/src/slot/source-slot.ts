import { parseLsn } from '@surehook/change-capture/slot/lsn'
import type { ClientBase, Pool, QueryConfig } from 'pg'
import type { FoundSlot } from './continuity.ts'

export type SlotFacts = FoundSlot & {
  /** Bytes of WAL that the source keeps for the slot. */
  retained: number
  /** Bytes that can still be written before the server gives the slot up; `null`: no limit. */
  safe: number | null
}

type SlotFactsRow = {
  systemId: string
  timeline: number
  confirmed: string | null
  status: string | null
  retained: number | null
  safe: number | null
}

/** Reads the slot of a source on its primary. */
export async function readSourceSlot(db: ClientBase | Pool, slot: string): Promise<SlotFacts> {
  const { rows } = await db.query<SlotFactsRow>(
    `select c.system_identifier::text as "systemId",
            ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int as timeline,
            s.confirmed_flush_lsn::text as confirmed, s.wal_status as status,
            pg_wal_lsn_diff(pg_current_wal_lsn(), s.restart_lsn)::float8 as retained,
            s.safe_wal_size::float8 as safe
       from pg_control_system() c
       left join pg_replication_slots s
         on s.slot_name = $1 and s.database = current_database() and s.slot_type = 'logical'`,
    [slot],
  )
  const [row] = rows
  if (row === undefined) throw new Error('PostgreSQL does not say which cluster it is')
  const { systemId, timeline, confirmed, status, retained, safe } = row
  const lost = { confirmed: 0n, isLost: true }
  // Without a confirmed position it is still being created.
  const held = confirmed === null ? null : { confirmed: parseLsn(confirmed), isLost: false }
  const found = status === 'lost' ? lost : held
  return { systemId, timeline, slot: found, retained: retained ?? 0, safe }
}

/** It waits for every transaction that is open in the database. */
const createWithinMs = 3_600_000

/** Creates the slot. The publication must exist: a slot of before it could not be read. */
export async function createSourceSlot(db: ClientBase | Pool, slot: string): Promise<void> {
  const { rows } = await db.query<{ canFailOver: boolean }>(
    `select current_setting('server_version_num')::int >= 170000 as "canFailOver"`,
  )
  // A stand-by keeps a copy of it, which can be read after its promotion.
  const failover = rows[0]?.canFailOver === true ? ', failover => true' : ''
  await db.query({
    text: `select pg_create_logical_replication_slot($1, 'pgoutput'${failover})`,
    values: [slot],
    query_timeout: createWithinMs,
  } as QueryConfig)
}

/** Ends its reader, and drops the slot. Resolves with false if there is none. */
export async function dropSourceSlot(db: ClientBase | Pool, slot: string): Promise<boolean> {
  await db.query(
    `select pg_terminate_backend(active_pid) from pg_replication_slots
      where slot_name = $1 and database = current_database() and active`,
    [slot],
  )
  const { rowCount } = await db.query(
    `select pg_drop_replication_slot(slot_name) from pg_replication_slots
      where slot_name = $1 and database = current_database()`,
    [slot],
  )
  return rowCount === 1
}
