import { reasonOf } from '@surehook/service-kit/errors'
import { openExpiryDeletion } from '@surehook/service-kit/postgres/delete-expired'
import type { Client, Pool } from 'pg'
import type { Logger } from 'pino'
import type { Connect } from '../connection/connect.ts'
import { endClient } from '../connection/end-client.ts'
import type { SourceMetrics } from '../metrics.ts'
import { type SourceRow, slotNameOf } from '../source-row.ts'
import { dropSlot, dropSlotSql } from './drop-slot.ts'
import { claimLeftSlots, forgetLeftSlot, type LeftSlot } from './left-slot-store.ts'
import { isSameServer } from './same-server.ts'

export type LeftSlotsDeps = {
  pool: Pool
  connect: Connect
  metrics: Pick<SourceMetrics, 'slotsGivenUp'>
  log: Logger
}

const lookEveryMs = 2_000
/** Together: a database that does not answer must not hold up those of others. */
const atOnce = 8

/**
 * Drops slots that no source needs any more, also those of a process that ended before it did. A
 * database that is away is tried again, for a bounded time.
 */
export const openLeftSlots = (deps: LeftSlotsDeps): AsyncDisposable =>
  openExpiryDeletion({
    pool: deps.pool,
    jobs: [
      {
        name: 'left slots',
        run: async (pool) => {
          const due = await claimLeftSlots(pool, atOnce)
          await Promise.all(due.map((left) => drop(left, deps)))
          return due.length === atOnce
        },
      },
    ],
    everyMs: lookEveryMs,
    log: deps.log,
  })

async function drop(left: LeftSlot, deps: LeftSlotsDeps): Promise<void> {
  const { pool, connect, metrics, log } = deps
  const { id, project_id: projectId, environment, name, attempts } = left
  const slot = slotNameOf(id)
  const says = { id, projectId, environment, name, slot, attempts }
  try {
    const dropped = await dropSlot(connect, left, (client) => isStillRead(left, client, deps))
    log.info({ ...says, dropped }, 'source.slot.settled')
  } catch (err) {
    log.warn({ ...says, reason: reasonOf(err) }, 'source.slot.left')
    if (!left.isLastAttempt) return
    log.error({ ...says, sql: dropSlotSql(slot) }, 'source.slot.given_up')
    metrics.slotsGivenUp.inc()
  }
  await forgetLeftSlot(pool, left.leftId)
}

/** True if the source still exists, and its present address leads to the same server. */
async function isStillRead(
  { id }: LeftSlot,
  former: Client,
  { pool, connect }: LeftSlotsDeps,
): Promise<boolean> {
  const { rows } = await pool.query<SourceRow>('select * from source where id = $1', [id])
  const [row] = rows
  if (row === undefined) return false
  const present = await connect(row)
  try {
    return await isSameServer(present, former)
  } finally {
    await endClient(present)
  }
}
