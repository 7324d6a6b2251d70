import type { Kafka } from '@surehook/kafka/client/surface'
import { boundedBy } from '@surehook/service-kit/bounded'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import { fromZero, type Metrics } from '@surehook/service-kit/telemetry/metrics'
import type { Pool } from 'pg'
import { deleteOldStats } from '../history/stats/stats-store.ts'
import { runBackgroundWork } from '../jobs/background-work.ts'
import { dropOldDays } from './drop-old-days.ts'
import { trimmedBefore, trimTopics } from './trim-topics.ts'

export type ExpiryDeletionDeps = {
  historyPool: Pool
  kafka: Kafka
  historyDays: number
  log: Logger
  metrics: Metrics
}

const everyMs = 10 * 60_000
const closeWithinMs = 2_000

/** Deletes expired history at the start and then every ten minutes. */
export function runHistoryDeletion(deps: ExpiryDeletionDeps): AsyncDisposable {
  const { log, metrics } = deps
  const failures = metrics.counter({
    name: 'surehook_webhook_history_sweep_failures_total',
    help: 'Failed deletions of expired history. The next run repeats them',
    labelNames: ['part'],
  })
  const parts = partsOf(deps)
  fromZero(failures, 'part', Object.keys(parts))
  const deleting = runBackgroundWork({
    async work(signal) {
      for (const [part, work] of Object.entries(parts)) {
        if (signal.aborted) break
        await work().catch((err: unknown) => {
          failures.inc({ part })
          log.warn({ err, part }, 'history.deletion_failed')
        })
      }
      return everyMs
    },
    onFailure: (err) => log.warn({ err }, 'history.deletion_failed'),
    retryMs: everyMs,
  })
  return {
    async [Symbol.asyncDispose]() {
      const closed = Promise.resolve(deleting[Symbol.asyncDispose]())
      // The next pass deletes what is left.
      await boundedBy(closeWithinMs, closed, 'The deletion of expired history did not end').catch(
        (err: unknown) => log.debug({ err }, 'history.deletion_left'),
      )
    },
  }
}

function partsOf({ historyPool, kafka, historyDays, log }: ExpiryDeletionDeps) {
  return {
    async days() {
      const { dropped, busy } = await dropOldDays(historyPool, { historyDays, now: Date.now() })
      if (dropped.length > 0) log.info({ dropped }, 'history.dropped')
      if (busy.length > 0) log.warn({ busy }, 'history.busy')
    },
    async stats() {
      const rows = await deleteOldStats(historyPool, Date.now())
      if (rows > 0) log.info({ rows }, 'history.stats_dropped')
    },
    async topics() {
      const topics = await trimTopics(kafka, trimmedBefore(historyDays, Date.now()))
      if (topics.length > 0) log.info({ topics }, 'history.trimmed')
    },
  }
}
