import { refuseInvalid } from '@surehook/service-kit/kafka/invalid-messages'
import type { Messaging } from '@surehook/service-kit/kafka/messaging'
import {
  type OrderedConsumer,
  runOrderedConsumer,
} from '@surehook/service-kit/kafka/ordered-consumer'
import type { Logger } from '@surehook/service-kit/log'
import type { Metrics } from '@surehook/service-kit/metrics'
import type { Pool } from 'pg'
import { createDeliveryDays } from './delivery-days.ts'
import { createDeliveryProjection, projectedTopics } from './delivery-projection.ts'
import { createDeliveryStore } from './delivery-store.ts'

const groupId = 'webhook-api'

type Parts = { pool: Pool; log: Logger; metrics: Metrics }

/** Follows the delivery topics for as long as it is open; all replicas share the work. */
export function openDeliveryLog(
  { kafka, codec, producer }: Messaging,
  { pool, log, metrics }: Parts,
): OrderedConsumer {
  const refused = metrics.counter({
    name: 'webhook_log_messages_refused_total',
    help: 'Messages that the delivery log could not take and put on an invalid topic',
    labelNames: ['topic'],
  })
  const handleBatch = createDeliveryProjection({
    store: createDeliveryStore(pool, createDeliveryDays(pool)),
    codec,
    now: Date.now,
    async refuse(message) {
      await refuseInvalid(producer, codec, { ...message, refusedBy: groupId })
      refused.inc({ topic: message.topic })
      const { topic, partition, reason } = message
      log.warn({ topic, partition, offset: message.message.offset, reason }, 'message.refused')
    },
  })
  return runOrderedConsumer({
    kafka,
    groupId,
    topics: projectedTopics,
    fromBeginning: true,
    handleBatch,
    concurrency: 4,
    // Each batch is a commit to disk and one to Kafka.
    gather: { bytes: 65_536, forMs: 100 },
    metrics,
    log,
  })
}
