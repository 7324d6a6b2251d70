import type { StateWriter } from '@surehook/change-capture/emit/state-writer'
import type { LogReader } from '@surehook/kafka/readers/log-reader'
import type { EventCodec } from '@surehook/schemas/codec'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import type { Pool } from 'pg'
import type { OwnBounds } from '../change-log/own-changes.ts'
import type { StoredBodies } from '../history/read/stored-bodies.ts'
import { createDeliveryDays } from '../history/rows/delivery-days.ts'
import { createDeliveryStore } from '../history/write/delivery-store.ts'
import type { ConnectionSlots } from '../tenants/connection-slots.ts'
import type { KeyedWriter } from '../tenants/keyed-writer.ts'
import type { Pools } from '../tenants/open-database.ts'
import { logJobs } from './jobs/log-jobs.ts'
import { recoverDeadLetters } from './recovery/recover.ts'
import { runRecoveryWorker } from './recovery/recovery-worker.ts'
import { runReplayWorker } from './replay/replay-worker.ts'
import { createReplays } from './replay/replays.ts'
import { sendAgain } from './send-again.ts'

export type RedeliveryOptions = Pools & {
  slots: ConnectionSlots
  /** For the workers. */
  background: Pools & { writer: StateWriter }
  keyedWriter: KeyedWriter
  bodies: StoredBodies
  /** Reads the log of changes. */
  reader: LogReader
  ownBounds: OwnBounds
  codec: EventCodec
  maxBodyBytes: number
  log: Logger
}

export type Redelivery = ReturnType<typeof openRedelivery>

/** Opens all that makes deliveries on request, with the workers of recoveries and replays. */
export function openRedelivery(options: RedeliveryOptions) {
  const { pool, historyPool, slots, background, keyedWriter, bodies, reader, ownBounds, log } =
    options
  const { codec, maxBodyBytes } = options
  const pools = { pool, historyPool, slots }
  const logJobsTo = (history: Pool) =>
    logJobs(createDeliveryStore(history, createDeliveryDays(history)), log)
  const logMadeJobs = logJobsTo(background.historyPool)
  const recoveryWorker = runRecoveryWorker({ ...background, bodies, logJobs: logMadeJobs, log })
  const replayWorker = runReplayWorker({
    ...background,
    ...{ reader, codec, logJobs: logMadeJobs, maxBodyBytes, log },
  })
  return {
    ...sendAgain({ ...pools, writer: keyedWriter, bodies, logJobs: logJobsTo(historyPool) }),
    recover: recoverDeadLetters({ ...pools, writer: keyedWriter, wake: recoveryWorker.wake }),
    replays: createReplays({
      ...{ pool, reader, ownBounds, writer: keyedWriter },
      ...{ wake: replayWorker.wake, now: Date.now },
    }),
    async [Symbol.asyncDispose]() {
      await Promise.all([
        recoveryWorker[Symbol.asyncDispose](),
        replayWorker[Symbol.asyncDispose](),
      ])
    },
  }
}
