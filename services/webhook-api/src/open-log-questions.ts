import type { PlatformAccess } from '@surehook/access/management-access'
import type { StateWriter } from '@surehook/change-capture/emit/state-writer'
import { changesTopic } from '@surehook/contracts/topics'
import type { Kafka } from '@surehook/kafka/client/surface'
import { openLogReader } from '@surehook/kafka/readers/log-reader'
import type { EventCodec } from '@surehook/schemas/codec'
import { AppError } from '@surehook/service-kit/errors'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import type { Pool } from 'pg'
import { ChangeLog } from './change-log.ts'
import { createDeliveryDays } from './history/delivery-days.ts'
import { type SearchDeliveries, searchDeliveries } from './history/search/search-deliveries.ts'
import { createShowBefore } from './inspect/event/show-before.ts'
import { createShowEvent } from './inspect/event/show-event.ts'
import { createExplain } from './inspect/explain/explain.ts'
import { createPreview } from './inspect/preview.ts'
import type { KeyedWriter } from './keyed-writer.ts'
import type { ProjectPlaces } from './project-places.ts'
import { runReplayWorker } from './redelivery/replay/replay-worker.ts'
import { createReplays } from './redelivery/replay/replays.ts'
import { fitToLadder, type RetryLadder } from './subscriptions/policy/fit-to-ladder.ts'
import { secretWarnings } from './subscriptions/subscription-warnings.ts'
import { fitToTable } from './tables/fit-to-table.ts'
import type { KnownTables } from './tables/known-tables.ts'
import { tableWarnings } from './tables/table-warnings.ts'
import { TenantQueue } from './tenant-queue.ts'

export type LogQuestionsOptions = {
  pool: Pool
  places: Pick<ProjectPlaces, 'read'>
  kafka: Kafka
  codec: EventCodec
  writer: StateWriter
  keyedWriter: KeyedWriter
  tables: Pick<KnownTables, 'current' | 'fieldsOf'>
  access: Pick<PlatformAccess, 'environmentExists'>
  config: { kafka: { clientId: string }; maxBodyBytes: number; retryLadder: RetryLadder }
  log: Logger
}

/** Opens the queries on the log of changes, with their own reader. */
export function openLogQuestions(options: LogQuestionsOptions) {
  const { pool, places, kafka, codec, access, tables, writer, keyedWriter, config, log } = options
  const { clientId } = config.kafka
  const reader = openLogReader({ kafka, topic: changesTopic, clientId, log })
  const changeLog = new ChangeLog({ reader, codec, now: Date.now })
  const turns = new TenantQueue()
  const asked = { pool, changeLog, turns, now: Date.now }
  const searchAll = searchDeliveries(pool)
  const search: SearchDeliveries = (tenant, query) =>
    places.read(tenant)(() => searchAll(tenant, query))
  const days = createDeliveryDays(pool)
  const { maxBodyBytes } = config
  const worker = runReplayWorker({ pool, writer, reader, codec, days, maxBodyBytes, log })
  return {
    explain: createExplain(asked),
    showEvent: createShowEvent({ ...asked, search }),
    showBefore: createShowBefore(asked),
    search,
    replays: createReplays({
      pool,
      reader,
      writer: keyedWriter,
      wake: worker.wake,
      now: Date.now,
    }),
    preview: createPreview({
      changeLog,
      turns,
      async admit(tenant, input) {
        fitToLadder(config.retryLadder, input.policy)
        if (!(await access.environmentExists(tenant.projectId, tenant.environment))) {
          throw new AppError('ENVIRONMENT_NOT_FOUND', 'No such environment')
        }
        await tables.current()
        const fields = tables.fieldsOf({ ...tenant, table: input.table })
        const warnings = [...tableWarnings(input, fields), ...secretWarnings(input.secret)]
        return { input: { ...input, filter: fitToTable(input.filter, fields) }, warnings }
      },
      now: Date.now,
    }),
    async [Symbol.asyncDispose]() {
      await worker[Symbol.asyncDispose]()
      await reader[Symbol.asyncDispose]()
    },
  }
}
