import type { DeliveryAttempt } from '@surehook/contracts/events'
import { historyGroup } from '@surehook/contracts/groups'
import { ReadAheadConsumer } from '@surehook/kafka/consumer/read-ahead-consumer'
import type { Messaging } from '@surehook/kafka/messaging'
import { refuseInvalid } from '@surehook/kafka/producer/invalid-messages'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import { fromZero, type Metrics } from '@surehook/service-kit/telemetry/metrics'
import type { Pool } from 'pg'
import { createDeliveryDays } from '../rows/delivery-days.ts'
import { announceDeadLetters } from './announce-dead-letters.ts'
import { createDeliveryProjection, projectedTopics } from './delivery-projection.ts'
import { createDeliveryStore } from './delivery-store.ts'
import { LogWriter } from './log-writer.ts'

/** All replicas share this consumer group, and so the work. */

/**
 * The time between two writes when few messages arrive: each costs two fetches, a statement and a
 * commit.
 */
const gatherMs = 250

export type DeliveryLog = AsyncDisposable & { readonly healthy: boolean }

type Parts = {
  /** Names the replication slot. */
  service: string
  pool: Pool
  historyPool: Pool
  historyDays: number
  /** Called with the transitions that the history has. */
  noteOutcomes: (transitions: readonly DeliveryAttempt[]) => Promise<void>
  log: Logger
  metrics: Metrics
}

/** Follows the delivery topics while it is open. All replicas share the work. */
export function openDeliveryLog(
  { kafka, codec, producer }: Messaging,
  { service, pool, historyPool, historyDays, noteOutcomes, log, metrics }: Parts,
): DeliveryLog {
  const refused = fromZero(
    metrics.counter({
      name: 'surehook_webhook_log_messages_refused_total',
      help: 'Messages that the delivery history could not read and put on an invalid topic',
      labelNames: ['topic'],
    }),
    'topic',
    projectedTopics,
  )
  const store = createDeliveryStore(historyPool, createDeliveryDays(historyPool), historyDays)
  const projection = createDeliveryProjection({
    store: {
      async add(entries) {
        await store.add(entries)
        await noteOutcomes(entries.transitions)
        await announceDeadLetters(pool, service, entries.transitions)
      },
    },
    codec,
    async refuse(message) {
      await refuseInvalid(producer, codec, { ...message, refusedBy: historyGroup })
      refused.inc({ topic: message.topic })
      const { topic, partition, reason } = message
      log.warn({ topic, partition, offset: message.message.offset, reason }, 'message.refused')
    },
  })
  const writer = new LogWriter({
    projection,
    reader: {
      commit: (positions) => consumer.commit(positions),
      pause: (place) => consumer.pause(place),
      resume: (place) => consumer.resume(place),
    },
    log,
  })
  const consumer: ReadAheadConsumer = new ReadAheadConsumer({
    kafka,
    groupId: historyGroup,
    topics: projectedTopics,
    gather: { bytes: 1_048_576, forMs: gatherMs },
    take: (batch) => writer.take(batch),
    onJoin: () => writer.forget(),
    metrics,
    log,
  })
  return {
    get healthy() {
      return consumer.healthy
    },
    async [Symbol.asyncDispose]() {
      await writer[Symbol.asyncDispose]()
      await consumer[Symbol.asyncDispose]()
    },
  }
}
