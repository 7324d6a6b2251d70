import type { StateWriter } from '@surehook/change-capture/emit/state-writer'
import { deliveriesTopic } from '@surehook/contracts/topics'
import type { Messaging } from '@surehook/kafka/messaging'
import { openRecordReader } from '@surehook/kafka/readers/record-reader'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import type { Metrics } from '@surehook/service-kit/telemetry/metrics'
import type { Pool } from 'pg'
import { type CancelDeliveries, cancelDeliveries } from './cancellation/cancel-deliveries.ts'
import { createDeliveryDays } from './history/delivery-days.ts'
import { type DeliveryHistory, deliveryHistory } from './history/read/delivery-history.ts'
import { storedBodies } from './history/read/stored-bodies.ts'
import type { KeyedWriter } from './keyed-writer.ts'
import { type Recover, recoverDeadLetters } from './redelivery/recovery/recover.ts'
import { runRecoveryWorker } from './redelivery/recovery/recovery-worker.ts'
import { type SendAgain, sendAgain } from './redelivery/send-again.ts'
import { runHistoryDeletion } from './retention/delete-expired-history.ts'

export type HistoryDeps = Pick<Messaging, 'kafka' | 'codec'> & {
  pool: Pool
  writer: StateWriter
  keyedWriter: KeyedWriter
  historyDays: number
  /** Of subscriptions without their own. */
  defaultDelays: readonly string[]
  log: Logger
  metrics: Metrics
}

export type OpenHistory = AsyncDisposable & {
  readonly history: DeliveryHistory
  readonly sendAgain: SendAgain
  readonly recover: Recover
  readonly cancel: CancelDeliveries
}

/** Opens the history of deliveries, the operations on it, and its background work. */
export function openHistory(deps: HistoryDeps): OpenHistory {
  const { pool, kafka, codec, writer, keyedWriter, log } = deps
  const days = createDeliveryDays(pool)
  const deletion = runHistoryDeletion(deps)
  const reader = openRecordReader({ kafka, topic: deliveriesTopic, log })
  const bodies = storedBodies({ reader, codec })
  const worker = runRecoveryWorker({ pool, writer, days, bodies, log })
  return {
    history: deliveryHistory(pool, bodies, deps.defaultDelays),
    sendAgain: sendAgain({ pool, writer: keyedWriter, days, bodies }),
    recover: recoverDeadLetters({ writer: keyedWriter, wake: worker.wake }),
    cancel: cancelDeliveries({ writer: keyedWriter }),
    async [Symbol.asyncDispose]() {
      await Promise.all([worker[Symbol.asyncDispose](), deletion[Symbol.asyncDispose]()])
      await reader[Symbol.asyncDispose]()
    },
  }
}
