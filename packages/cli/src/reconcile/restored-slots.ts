import { capturingServices } from '@surehook/change-capture/slot/capturing-services'
import { formatLsn } from '@surehook/change-capture/slot/lsn'
import { capturePublication, slotOf } from '@surehook/service-kit/postgres/capture-slot'
import { schemaOf } from '@surehook/service-kit/postgres/service-role'
import { type Client, DatabaseError } from 'pg'
import type { ServiceName } from '../lib/service-catalog.ts'
import type { RelayedPositions } from './relayed-positions.ts'

export type RestoredSlot = {
  service: ServiceName
  slot: string
  /**
   * `there`: the relay continues from the slot's position. `missing`: `prepare database` creates a
   * new slot once the old one is deleted from `capture_slot`. `unreadable`: the slot must be
   * dropped first.
   */
  state: 'there' | 'unreadable' | 'missing'
  /** The server's error for an unreadable slot. */
  reason: string | null
  /** Position to which the slot may be advanced: all earlier commits are on their topics. */
  relayed: bigint | null
}

/** Reads the slots of all services after a restore. */
export async function restoredSlots(
  db: Client,
  positions: RelayedPositions,
): Promise<RestoredSlot[]> {
  const slots: RestoredSlot[] = []
  for (const service of capturingServices) {
    const slot = slotOf(service)
    // Treats a slot as missing if the server has invalidated it. A slot ahead of the WAL would skip
    // the next changes, so it counts as missing too.
    const { rows } = await db.query<{ confirmed: string | null }>(
      `select (confirmed_flush_lsn - '0/0'::pg_lsn)::text as confirmed from pg_replication_slots
       where slot_name = $1 and wal_status <> 'lost' and confirmed_flush_lsn <= pg_current_wal_flush_lsn()`,
      [slot],
    )
    const [found] = rows
    if (found === undefined) {
      slots.push({ service, slot, state: 'missing', reason: null, relayed: null })
      continue
    }
    const confirmed = BigInt(found.confirmed ?? 0)
    const reason = await whyUnreadable(db, slot)
    const relayed = positions.relayedOf(service)
    const isBehind = reason === null && relayed !== null && relayed > confirmed
    const state = reason === null ? 'there' : 'unreadable'
    slots.push({ service, slot, state, reason, relayed: isBehind ? relayed : null })
  }
  return slots
}

/** Any other error is no reason to drop a slot. */
const unreadableCodes: readonly unknown[] = ['58P01', 'XX000', 'XX001']
const ofWal = /WAL|record|page ?addr|magic number/i

/**
 * Reads everything that the slot's reader will read. Views report a slot as valid even if its WAL
 * is not in `pg_wal`.
 */
async function whyUnreadable(db: Client, slot: string): Promise<string | null> {
  try {
    await db.query(
      `select count(*) from pg_logical_slot_peek_binary_changes($1, null, null,
         'proto_version', '1', 'publication_names', $2, 'messages', 'false')`,
      [slot, capturePublication],
    )
    return null
  } catch (err) {
    if (!(err instanceof DatabaseError && unreadableCodes.includes(err.code))) throw err
    if (!ofWal.test(err.message)) throw err
    return err.message
  }
}

/**
 * Advances each slot as far as its changes are on Kafka, and removes missing and unreadable ones.
 */
export async function settleSlots(db: Client, slots: readonly RestoredSlot[]): Promise<void> {
  for (const { service, slot, state, relayed } of slots) {
    if (state !== 'there') {
      await db.query(
        'select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = $1',
        [slot],
      )
      await db.query(`delete from ${schemaOf(service)}.capture_slot where slot = $1`, [slot])
    } else if (relayed !== null) {
      // Changes that the restored WAL lacks may have been relayed as well, so the position is
      // limited to the end of the WAL.
      await db.query(
        'select pg_replication_slot_advance($1, least($2::pg_lsn, pg_current_wal_flush_lsn()))',
        [slot, formatLsn(relayed)],
      )
    }
  }
}
