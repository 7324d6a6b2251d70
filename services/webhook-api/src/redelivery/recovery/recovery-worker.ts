import type { EmitState, StateWriter } from '@surehook/change-capture/emit/state-writer'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import type { Pool, PoolClient } from 'pg'
import type { StoredBodies, StoredBody } from '../../history/read/stored-bodies.ts'
import { type DeliveryDays, dayOf } from '../../history/rows/delivery-days.ts'
import type { BackgroundWork } from '../../jobs/background-work.ts'
import { runClaimedWork } from '../../jobs/claimed-work.ts'
import { lockSubscription } from '../../subscriptions/store/subscription-store.ts'
import { emitJobs } from '../jobs/emit-jobs.ts'
import { type Original, redeliveryJob } from '../jobs/redelivery-job.ts'
import { type DeadLetter, nextDeadLetters } from './dead-letters.ts'
import * as store from './recovery-store.ts'

export type RecoveryWorkerDeps = {
  pool: Pool
  writer: Pick<StateWriter, 'write'>
  days: Pick<DeliveryDays, 'ensure'>
  bodies: Pick<StoredBodies, 'findFirst'>
  log: Logger
}

const batch = { limit: 200, bytes: 4 * 1024 * 1024 }
/** How long another replica may take for its batch of the same recovery. */
const otherReplicaMs = 2_000

/**
 * Sends dead letters again, batch by batch. Each batch commits together with the progress, so after
 * a crash nothing is repeated. The next batch begins once Kafka has this one.
 */
export function runRecoveryWorker(deps: RecoveryWorkerDeps): BackgroundWork {
  const { pool, writer, days, log } = deps
  return runClaimedWork({
    waiting: () => store.waitingRecoveries(pool),
    // The transaction of a batch locks the row.
    claim: async ({ id }) => id,
    async work(id) {
      const now = Date.now()
      await days.ensure([dayOf(now)])
      const bodies = await bodiesAhead(deps, id)
      const isOurs = await writer.write((tx, emit) =>
        writeBatch({ tx, emit, log }, { id, now, bodies }),
      )
      return isOurs ? 0 : otherReplicaMs
    },
    postpone: ({ id }) => store.postponeRecovery(pool, id),
    events: { failed: 'recovery.failed', notPostponed: 'recovery.not_postponed' },
    log,
  })
}

/**
 * Returns bodies by delivery. Reads them before the transaction, so that no lock is held while
 * waiting for Kafka.
 */
async function bodiesAhead(
  { pool, bodies }: RecoveryWorkerDeps,
  id: string,
): Promise<ReadonlyMap<string, StoredBody>> {
  const recovery = await store.peekRecovery(pool, id)
  const letters = recovery === undefined ? [] : await nextLetters(pool, recovery)
  const found = await bodies.findFirst(letters, batch.bytes)
  return new Map(letters.slice(0, found.length).map((letter, n) => [letter.id, found[n] ?? 'gone']))
}

type Batch = { id: string; now: number; bodies: ReadonlyMap<string, StoredBody> }

/** @returns false if another replica works on it, or has ended it */
async function writeBatch(
  { tx, emit, log }: { tx: PoolClient; emit: EmitState; log: Logger },
  { id, now, bodies }: Batch,
): Promise<boolean> {
  const recovery = await store.takeRecovery(tx, id)
  if (recovery === undefined) return false
  const { subscriptionId, tenant } = recovery
  // Locked, so that the second of two recoveries sees what the first has sent.
  const subscription = await lockSubscription(tx, subscriptionId, tenant)
  const letters = subscription === undefined ? [] : await nextLetters(tx, recovery)
  if (subscription === undefined || letters.length === 0) {
    await store.endRecovery(tx, id)
    log.info({ recoveryId: id, subscriptionId }, 'recovery.ended')
    return true
  }
  // If another replica was faster, some bodies were not read; the next round reads them.
  const unread = letters.findIndex((letter) => !bodies.has(letter.id))
  const read = unread < 0 ? letters : letters.slice(0, unread)
  const last = read.at(-1)
  if (last === undefined) return true
  const originals = read.flatMap((letter) => originalOf(letter, bodies.get(letter.id)))
  const leftOut = read.length - originals.length
  if (leftOut > 0) log.warn({ recoveryId: id, subscriptionId, leftOut }, 'recovery.bodies_gone')
  const request = { requestId: id, now, traceparent: null }
  const jobs = originals.map((original) => redeliveryJob(original, subscription, request))
  await emitJobs(tx, emit, jobs)
  await store.advanceRecovery(tx, id, { day: last.day, at: last.created_at, id: last.id })
  return true
}

/** Returns none if the topic no longer has the body. */
function originalOf(letter: DeadLetter, body: StoredBody | undefined): Original[] {
  return body === undefined || typeof body === 'string' ? [] : [{ ...letter, body }]
}

const nextLetters = (db: Pool | PoolClient, recovery: store.Recovery): Promise<DeadLetter[]> =>
  nextDeadLetters(db, { ...recovery, after: recovery.position }, batch)
