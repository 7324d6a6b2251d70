import { setTimeout as sleep } from 'node:timers/promises'
import { boundedBy } from '@surehook/service-kit/bounded'
import { reasonOf } from '@surehook/service-kit/errors'
import { type Client, escapeLiteral } from 'pg'
import type { Logger } from 'pino'
import type { Connect } from '../connection/connect.ts'
import { endClient } from '../connection/end-client.ts'
import { dropSourceSlot } from '../slot/source-slot.ts'
import { type SourceRow, slotNameOf } from '../source-row.ts'

export type DroppedSource = { slotDropped: boolean; sql: string[] }
export type DropSource = (row: SourceRow) => Promise<DroppedSource>

export type DropSourceDeps = {
  connect: Connect
  /** Ends the reading of the source in this process, and removes it. Other replicas stop soon. */
  remove: (id: string) => Promise<void>
  log: Logger
}

/** Longer than another replica takes to see that the source is gone. */
const attempts = 12
const everyMs = 500
const withinMs = 12_000

const dropSql = (slot: string): string =>
  `SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = ${escapeLiteral(slot)};`

/** Removes a source, and then its slot, which would keep WAL forever. */
export const createDropSource =
  ({ connect, remove, log }: DropSourceDeps): DropSource =>
  async (row) => {
    const slot = slotNameOf(row.id)
    await remove(row.id)
    try {
      const dropped = dropOver(connect, row)
      const slotDropped = await boundedBy(withinMs, dropped, 'The database does not answer')
      return { slotDropped, sql: [] }
    } catch (err) {
      const { id, project_id: projectId, environment, name } = row
      log.warn(
        { id, projectId, environment, name, slot, reason: reasonOf(err) },
        'source.slot.left',
      )
      return {
        slotDropped: false,
        sql: [dropSql(slot)],
      }
    }
  }

async function dropOver(connect: Connect, row: SourceRow): Promise<boolean> {
  const client = await connect(row)
  try {
    return await dropFree(client, slotNameOf(row.id))
  } finally {
    await endClient(client)
  }
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
