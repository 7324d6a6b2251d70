import { isDeepStrictEqual } from 'node:util'
import type { EmitState, StateWriter } from '@surehook/change-capture/emit/state-writer'
import type { DeliveryJob } from '@surehook/contracts/events'
import { inTransaction } from '@surehook/service-kit/postgres/pool'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import type { PoolClient } from 'pg'
import type { StoredBodies, StoredBody } from '../../history/read/stored-bodies.ts'
import type { BackgroundWork } from '../../jobs/background-work.ts'
import { runClaimedWork } from '../../jobs/claimed-work.ts'
import { isRebuilding } from '../../rebuild/rebuild-store.ts'
import { lockSubscription } from '../../subscriptions/store/subscription-store.ts'
import type { Pools } from '../../tenants/open-database.ts'
import { emitJobs } from '../jobs/emit-jobs.ts'
import type { LogJobs } from '../jobs/log-jobs.ts'
import { type Original, redeliveryJob } from '../jobs/redelivery-job.ts'
import { type DeadLetter, nextDeadLetters } from './dead-letters.ts'
import * as store from './recovery-store.ts'

export type RecoveryWorkerDeps = Pools & {
  writer: Pick<StateWriter, 'write'>
  bodies: Pick<StoredBodies, 'findFirst'>
  logJobs: LogJobs
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
  const { pool, historyPool, writer, logJobs, log } = deps
  return runClaimedWork({
    waiting: () => store.waitingRecoveries(deps),
    // A batch locks the row.
    claim: async ({ id }) => id,
    work: (id) =>
      // Held until the history has the batch: the next recovery of the webhook must see it.
      inTransaction(historyPool, async (lock) => {
        if (!(await store.lockInHistory(lock, id))) return otherReplicaMs
        const read = await readAhead(deps, id)
        if (read === null) return otherReplicaMs
        const now = Date.now()
        const jobs = await writer.write((tx, emit) =>
          writeBatch(log, { tx, emit }, { ...read, now }),
        )
        await logJobs(jobs ?? [])
        return jobs === null ? otherReplicaMs : 0
      }),
    postpone: ({ id }) => store.postponeRecovery(pool, id),
    events: { failed: 'recovery.failed', notPostponed: 'recovery.not_postponed' },
    log,
  })
}

/** The next letters of a recovery, in their order, with the bodies that were read. */
type Batch = {
  recovery: store.Recovery
  letters: readonly (DeadLetter & { stored: StoredBody })[]
  isEnd: boolean
}

/**
 * Reads before the transaction, so that no lock is held while waiting for the history or for Kafka.
 * @returns `null` if another replica has ended the recovery, or during a rebuild
 */
async function readAhead(
  { pool, historyPool, bodies }: RecoveryWorkerDeps,
  id: string,
): Promise<Batch | null> {
  const recovery = await store.peekRecovery(pool, id)
  if (recovery === undefined) return null
  const next = { ...recovery, after: recovery.position }
  const letters = await nextDeadLetters(historyPool, next, batch)
  // Asked after the letters: a rebuild may have emptied the history meanwhile.
  if (await isRebuilding(historyPool)) return null
  const found = await bodies.findFirst(letters, batch.bytes)
  const read = letters
    .slice(0, found.length)
    .map((letter, n) => ({ ...letter, stored: found[n] ?? 'gone' }))
  return { recovery, letters: read, isEnd: letters.length === 0 }
}

/** @returns the jobs; `null` if another replica works on it or has ended it */
async function writeBatch(
  log: Logger,
  { tx, emit }: { tx: PoolClient; emit: EmitState },
  { recovery, letters, isEnd, now }: Batch & { now: number },
): Promise<DeliveryJob[] | null> {
  const { id, subscriptionId, tenant, position } = recovery
  const locked = await store.takeRecovery(tx, id)
  // An older version may have moved it on.
  if (locked === undefined || !isDeepStrictEqual(locked.position, position)) return null
  const subscription = await lockSubscription(tx, subscriptionId, tenant)
  if (subscription === undefined || isEnd) {
    await store.endRecovery(tx, id)
    log.info({ recoveryId: id, subscriptionId }, 'recovery.ended')
    return []
  }
  const last = letters.at(-1)
  if (last === undefined) return []
  const originals = letters.flatMap(originalOf)
  const leftOut = letters.length - originals.length
  if (leftOut > 0) log.warn({ recoveryId: id, subscriptionId, leftOut }, 'recovery.bodies_gone')
  const request = { requestId: id, now, traceparent: null }
  const jobs = originals.map((original) => redeliveryJob(original, subscription, request))
  await emitJobs(emit, jobs)
  await store.advanceRecovery(tx, id, { day: last.day, at: last.created_at, id: last.id })
  return jobs
}

/** Returns none if the topic no longer has the body. */
function originalOf({ stored, ...letter }: Batch['letters'][number]): Original[] {
  return typeof stored === 'string' ? [] : [{ ...letter, body: stored }]
}
