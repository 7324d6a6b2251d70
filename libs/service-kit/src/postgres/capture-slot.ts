import type { ClientBase } from 'pg'
import { schemaOf } from './service-role.ts'

/** Name of the replication slot that a capturing service's relay reads. */
export function slotOf(service: string): string {
  return `surehook_${schemaOf(service)}`
}

/** An empty publication. pgoutput requires one, but messages in the WAL belong to none. */
export const capturePublication = 'surehook_capture'

/**
 * The slot is lost. It is never recreated automatically, because that would hide missing changes.
 */
export class CaptureSlotLostError extends Error {
  override readonly name = 'CaptureSlotLostError'

  constructor(slot: string, since: string) {
    super(
      `capture slot ${slot} was lost: changes since ${since} may be missing; see ` +
        'docs/operate/recover-a-lost-slot.md',
    )
  }
}

type SlotState = { exists: boolean; lost: boolean; here: boolean; rememberedAt: string | null }

/**
 * Creates the slot before the service's first write and records it in `capture_slot`. Throws a
 * `CaptureSlotLostError` if a recorded slot is gone or invalidated. `db` must be connected as the
 * service, outside a transaction.
 */
export async function ensureCaptureSlot(db: ClientBase, slot: string): Promise<void> {
  await db.query(
    `create table if not exists capture_slot (
       slot text primary key,
       created_at timestamptz not null default clock_timestamp(),
       seen_at timestamptz not null default clock_timestamp()
     )`,
  )
  const { exists, lost, here, rememberedAt } = await slotState(db, slot)
  if (lost || (!exists && rememberedAt !== null)) {
    throw new CaptureSlotLostError(slot, rememberedAt ?? 'its creation')
  }
  if (exists && !here) throw new Error(`capture slot ${slot} belongs to another database`)
  if (!exists) await createSlot(db, slot)
  await db.query(
    `insert into capture_slot (slot) values ($1)
     on conflict (slot) do update set seen_at = clock_timestamp()`,
    [slot],
  )
}

/**
 * From PostgreSQL 17 on stand-by servers can keep a copy of the slot and use it after their
 * promotion.
 */
async function createSlot(db: ClientBase, slot: string): Promise<void> {
  const { rows } = await db.query<{ canFailOver: boolean }>(
    `select current_setting('server_version_num')::int >= 170000 as "canFailOver"`,
  )
  const failover = rows[0]?.canFailOver === true ? ', failover => true' : ''
  await db.query(`select pg_create_logical_replication_slot($1, 'pgoutput'${failover})`, [slot])
}

async function slotState(db: ClientBase, slot: string): Promise<SlotState> {
  const { rows } = await db.query<SlotState>(
    `select s.slot_name is not null as exists,
            coalesce(s.wal_status = 'lost', false) as lost,
            coalesce(s.database = current_database(), false) as here,
            to_char(c.seen_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as "rememberedAt"
       from (select $1::text as slot) wanted
       left join pg_replication_slots s on s.slot_name = wanted.slot
       left join capture_slot c on c.slot = wanted.slot`,
    [slot],
  )
  return rows[0] ?? { exists: false, lost: false, here: false, rememberedAt: null }
}
