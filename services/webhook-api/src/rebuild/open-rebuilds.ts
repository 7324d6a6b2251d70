import type { HistoryRebuild } from '@surehook/contracts/http/webhooks/rebuild'
import type { Messaging } from '@surehook/kafka/messaging'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import type { Pool } from 'pg'
import { createDeliveryDays } from '../history/rows/delivery-days.ts'
import { createDeliveryProjection } from '../history/write/delivery-projection.ts'
import { createDeliveryStore } from '../history/write/delivery-store.ts'
import { askRebuild, newestRebuild, type RebuildRow } from './rebuild-store.ts'
import { runRebuildWorker } from './rebuild-worker.ts'

export type Rebuilds = {
  ask(): Promise<HistoryRebuild>
  newest(): Promise<HistoryRebuild | null>
}

export type OpenRebuildsOptions = Pick<Messaging, 'kafka' | 'codec'> & {
  config: { kafka: { clientId: string }; historyDays: number }
  historyPool: Pool
  log: Logger
}

/** Opens the requests for rebuilds of the history, and the worker that does them. */
export function openRebuilds(options: OpenRebuildsOptions): Rebuilds & AsyncDisposable {
  const { kafka, codec, config, historyPool, log } = options
  const projection = createDeliveryProjection({
    store: createDeliveryStore(historyPool, createDeliveryDays(historyPool), config.historyDays),
    codec,
    async refuse({ topic, partition, message, reason }) {
      log.debug({ topic, partition, offset: message.offset, reason }, 'history.rebuild_refused')
    },
  })
  const { clientId } = config.kafka
  const worker = runRebuildWorker({ historyPool, kafka, clientId, projection, log })
  return {
    async ask() {
      const asked = await askRebuild(historyPool)
      worker.wake()
      return shown(asked)
    },
    async newest() {
      const newest = await newestRebuild(historyPool)
      return newest === undefined ? null : shown(newest)
    },
    async [Symbol.asyncDispose]() {
      await worker[Symbol.asyncDispose]()
    },
  }
}

function shown(row: RebuildRow): HistoryRebuild {
  return {
    id: row.id,
    state: row.state === 'done' ? 'done' : 'running',
    askedAt: row.asked_at.toISOString(),
    finishedAt: row.finished_at?.toISOString() ?? null,
    read: Number(row.records),
    toRead: Number(row.records_in_all),
    since: row.oldest_at?.toISOString() ?? null,
  }
}
