import { slotOf } from '@surehook/service-kit/capture/capture-slot'
import { formatLsn } from '@surehook/service-kit/capture/lsn'
import { schemaOf } from '@surehook/service-kit/postgres/service-role'
import type { Client } from 'pg'
import { type ServiceName, serviceNames, serviceTraits } from '../lib/service-catalog.ts'
import type { RelayedPositions } from './relayed-positions.ts'

export type RestoredSlot = {
  service: ServiceName
  slot: string
  /** `there`: relays go on from where it is; `missing`: `prepare database` makes a new one once it is forgotten. */
  state: 'there' | 'missing'
  /** Up to where it may be moved: everything before is on its topics. */
  relayed: bigint | null
}

/** The slots of all services after a restore. */
export async function restoredSlots(
  db: Client,
  positions: RelayedPositions,
): Promise<RestoredSlot[]> {
  const services = serviceNames.filter((name) => serviceTraits[name].database)
  const slots: RestoredSlot[] = []
  for (const service of services) {
    const slot = slotOf(service)
    const { rows } = await db.query<{ confirmed: string }>(
      `select (confirmed_flush_lsn - '0/0'::pg_lsn)::text as confirmed from pg_replication_slots
       where slot_name = $1 and wal_status <> 'lost'`,
      [slot],
    )
    const [found] = rows
    const relayed = positions.relayedOf(service)
    const isBehind = found !== undefined && relayed !== null && relayed > BigInt(found.confirmed)
    const state = found === undefined ? 'missing' : 'there'
    slots.push({ service, slot, state, relayed: isBehind ? relayed : null })
  }
  return slots
}

/** Moves each slot as far as its changes are on Kafka, and forgets those that are gone. */
export async function settleSlots(db: Client, slots: readonly RestoredSlot[]): Promise<void> {
  for (const { service, slot, state, relayed } of slots) {
    if (state === 'missing') {
      await db.query(`delete from ${schemaOf(service)}.capture_slot where slot = $1`, [slot])
    } else if (relayed !== null) {
      // What the restored WAL does not have may have been relayed as well.
      await db.query(
        'select pg_replication_slot_advance($1, least($2::pg_lsn, pg_current_wal_flush_lsn()))',
        [slot, formatLsn(relayed)],
      )
    }
  }
}
