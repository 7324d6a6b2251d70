import type { ClientBase, Pool } from 'pg'
import { slotOf } from '../postgres/capture-slot.ts'
import { type Finding, findingsOf } from './finding.ts'
import { sizeOf } from './size-of.ts'

const { ok, warn, wrong } = findingsOf('slots')

export type SlotRow = {
  slot: string
  active: boolean
  /** `wal_status`: `reserved`, `extended`, `unreserved` or `lost`. */
  status: string | null
  lagBytes: number | null
  /** WAL that the server keeps for the slot. */
  retainedBytes: number | null
}

const lagWarnBytes = 256 * 1024 * 1024

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

/** Each service that captures has one slot, which one of its replicas reads. */
export function judgeSlot(service: string, rows: readonly SlotRow[]): Finding[] {
  const slot = slotOf(service)
  const row = rows.find((one) => one.slot === slot)
  const recipe = 'see docs/operate/recover-a-lost-slot.md'
  if (row === undefined) {
    return [
      wrong(
        `${slot} is not there`,
        `On a new database run \`surehook prepare database\`; if it was there before, changes may be missing: ${recipe}.`,
      ),
    ]
  }
  const lag = sizeOf(row.lagBytes ?? 0)
  if (row.status === 'lost')
    return [wrong(`${slot} was given up by the server`, `Changes may be missing: ${recipe}.`)]
  if (!row.active) {
    return [
      wrong(
        `${slot} is read by nobody, ${lag} behind`,
        `Start ${service}, or see in its log why its relay does not read: WAL piles up until it does.`,
      ),
    ]
  }
  if (row.status === 'unreserved') {
    return [
      wrong(`${slot} is about to be given up, ${lag} behind`, 'Raise max_slot_wal_keep_size now.'),
    ]
  }
  if ((row.lagBytes ?? 0) > lagWarnBytes) {
    return [
      warn(
        `${slot} is ${lag} behind`,
        `See in the log of ${service} whether Kafka takes what its relay sends.`,
      ),
    ]
  }
  return [ok(`${slot} is read, ${lag} behind`)]
}
