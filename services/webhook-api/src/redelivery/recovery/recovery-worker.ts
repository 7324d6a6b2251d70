import type { StateWriter } from '@surehook/change-capture/emit/state-writer'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import type { Pool, PoolClient } from 'pg'
import { type BackgroundWork, runBackgroundWork } from '../../background-work.ts'
import { type DeliveryDays, dayOf } from '../../history/delivery-days.ts'
import { emitJobs } from '../../jobs/emit-jobs.ts'
import { redeliveryJob } from '../../jobs/redelivery-job.ts'
import { lockSubscription } from '../../subscriptions/subscription-store.ts'
import { type DeadLetter, nextDeadLetters } from './dead-letters.ts'
import * as store from './recovery-store.ts'

export type RecoveryWorkerDeps = {
  pool: Pool
  writer: Pick<StateWriter, 'write'>
  days: Pick<DeliveryDays, 'ensure'>
  log: Logger
}

const batch = { limit: 200, bytes: 4 * 1024 * 1024 }
// Also what a replica left behind that was killed is found by looking.
const lookEveryMs = 2_000

/**
 * Puts dead letters back, batch by batch. A batch, and how far the recovery is, are one commit: killed at
 * any line, whoever goes on repeats nothing. The next batch begins when Kafka has this one.
 */
export function runRecoveryWorker(deps: RecoveryWorkerDeps): BackgroundWork {
  return runBackgroundWork({
    work: async () => ((await workOnNext(deps)) ? 0 : lookEveryMs),
    onFailure: (err) => deps.log.warn({ err }, 'recovery.failed'),
    retryMs: lookEveryMs,
  })
}

/** @returns whether there may be more to do at once */
async function workOnNext(deps: RecoveryWorkerDeps): Promise<boolean> {
  const { pool, writer, days, log } = deps
  const id = await store.nextRecovery(pool)
  if (id === undefined) return false
  const now = Date.now()
  await days.ensure([dayOf(now)])
  try {
    return await writer.write(async (tx, emit) => {
      const recovery = await store.takeRecovery(tx, id)
      if (recovery === undefined) return false
      const { subscriptionId, tenant } = recovery
      // Held, so that of two recoveries the second sees what the first has sent.
      const subscription = await lockSubscription(tx, subscriptionId, tenant)
      const letters = subscription === undefined ? [] : await nextLetters(tx, recovery)
      const last = letters.at(-1)
      if (subscription === undefined || last === undefined) {
        await store.endRecovery(tx, id)
        log.info({ recoveryId: id, subscriptionId }, 'recovery.ended')
        return true
      }
      const request = { requestId: id, now, traceparent: null }
      const jobs = letters.map((letter) => redeliveryJob(letter, subscription, request))
      await emitJobs(tx, emit, jobs)
      await store.advanceRecovery(tx, id, { at: last.created_at, id: last.id })
      return true
    })
  } catch (err) {
    const late = (cause: unknown) => log.debug({ err: cause }, 'recovery.not_postponed')
    await store.postponeRecovery(pool, id).catch(late)
    throw err
  }
}

const nextLetters = (tx: PoolClient, recovery: store.Recovery): Promise<DeadLetter[]> =>
  nextDeadLetters(tx, { ...recovery, after: recovery.position }, batch)
