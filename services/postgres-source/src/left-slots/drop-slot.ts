import { setTimeout as sleep } from 'node:timers/promises'
import { boundedBy } from '@surehook/service-kit/bounded'
import { type Client, escapeLiteral } from 'pg'
import type { Connect } from '../connection/connect.ts'
import { endClient } from '../connection/end-client.ts'
import { dropSourceSlot } from '../slot/source-slot.ts'
import { type SourceAccess, slotNameOf } from '../source-row.ts'

/** Longer than another replica takes to see that the source is gone. */
const attempts = 12
const everyMs = 500
const withinMs = 12_000

/** What the owner of the database runs if Surehook cannot. */
export const dropSlotSql = (slot: string): string =>
  `SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = ${escapeLiteral(slot)};`

/**
 * Drops the slot of a source in its database, unless `isNeeded`. Resolves with whether it dropped
 * one, and rejects if the database does not answer.
 */
export async function dropSlot(
  connect: Connect,
  of: SourceAccess,
  isNeeded: (client: Client) => Promise<boolean> = () => Promise.resolve(false),
): Promise<boolean> {
  const work = async () => {
    const client = await connect(of)
    try {
      return !(await isNeeded(client)) && (await dropFree(client, slotNameOf(of.id)))
    } finally {
      await endClient(client)
    }
  }
  return boundedBy(withinMs, work(), 'The database does not answer')
}

/** The slot is in use until its reader has stopped. */
async function dropFree(client: Client, slot: string): Promise<boolean> {
  for (let left = attempts; ; left--) {
    try {
      return await dropSourceSlot(client, slot)
    } catch (err) {
      if (left === 1) throw err
      await sleep(everyMs)
    }
  }
}
