import type { EmitState, StateWriter } from '@surehook/change-capture/emit/state-writer'
import type { DeliveryJob } from '@surehook/contracts/events'
import { inTransaction } from '@surehook/service-kit/postgres/pool'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import type { Pool, PoolClient } from 'pg'
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
        const bodies = await bodiesAhead(deps, id)
        const now = Date.now()
        const jobs = await writer.write((tx, emit) =>
          writeBatch(deps, { tx, emit }, { id, now, bodies }),
        )
        await logJobs(jobs ?? [])
        return jobs === null ? otherReplicaMs : 0
      }),
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
  { pool, historyPool, bodies }: RecoveryWorkerDeps,
  id: string,
): Promise<ReadonlyMap<string, StoredBody>> {
  const recovery = await store.peekRecovery(pool, id)
  const letters = recovery === undefined ? [] : await nextLetters(historyPool, recovery)
  const found = await bodies.findFirst(letters, batch.bytes)
  return new Map(letters.slice(0, found.length).map((letter, n) => [letter.id, found[n] ?? 'gone']))
}

type Batch = { id: string; now: number; bodies: ReadonlyMap<string, StoredBody> }

/** @returns the jobs; `null` if another replica works on it or has ended it, or during a rebuild */
async function writeBatch(
  { historyPool, log }: RecoveryWorkerDeps,
  { tx, emit }: { tx: PoolClient; emit: EmitState },
  { id, now, bodies }: Batch,
): Promise<DeliveryJob[] | null> {
  const recovery = await store.takeRecovery(tx, id)
  if (recovery === undefined) return null
  const { subscriptionId, tenant } = recovery
  const subscription = await lockSubscription(tx, subscriptionId, tenant)
  const letters = subscription === undefined ? [] : await nextLetters(historyPool, recovery)
  // Asked after the letters: a rebuild may have emptied the history meanwhile.
  if (await isRebuilding(historyPool)) return null
  if (subscription === undefined || letters.length === 0) {
    await store.endRecovery(tx, id)
    log.info({ recoveryId: id, subscriptionId }, 'recovery.ended')
    return []
  }
  // If another replica was faster, some bodies were not read; the next round reads them.
  const unread = letters.findIndex((letter) => !bodies.has(letter.id))
  const read = unread < 0 ? letters : letters.slice(0, unread)
  const last = read.at(-1)
  if (last === undefined) return []
  const originals = read.flatMap((letter) => originalOf(letter, bodies.get(letter.id)))
  const leftOut = read.length - originals.length
  if (leftOut > 0) log.warn({ recoveryId: id, subscriptionId, leftOut }, 'recovery.bodies_gone')
  const request = { requestId: id, now, traceparent: null }
  const jobs = originals.map((original) => redeliveryJob(original, subscription, request))
  await emitJobs(emit, jobs)
  await store.advanceRecovery(tx, id, { day: last.day, at: last.created_at, id: last.id })
  return jobs
}

/** Returns none if the topic no longer has the body. */
function originalOf(letter: DeadLetter, body: StoredBody | undefined): Original[] {
  return body === undefined || typeof body === 'string' ? [] : [{ ...letter, body }]
}

const nextLetters = (historyPool: Pool, recovery: store.Recovery): Promise<DeadLetter[]> =>
  nextDeadLetters(historyPool, { ...recovery, after: recovery.position }, batch)
