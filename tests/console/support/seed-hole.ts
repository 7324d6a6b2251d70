import { deliveryId } from '@surehook/contracts/ids'
import { deliveriesTopic } from '@surehook/contracts/topics'
import { createKafka } from '@surehook/kafka/client/client'
import { openProducer } from '@surehook/kafka/producer/producer'
import { openEventCodec } from '@surehook/schemas/codec'
import type { Tenant } from '@surehook/scripts/client/tenant'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import type { TestSystem } from '../../support/open-system.ts'

type Hole = { tenant: Tenant; eventId: string; recordId: string; webhookId: string; url: string }

const log = createLogger('test', 'silent')

/** Makes the job of a change for a webhook that the change does not match. */
export async function seedHole({ endpoints }: TestSystem, hole: Hole): Promise<void> {
  const { tenant, eventId, recordId, webhookId, url } = hole
  const kafka = createKafka({ brokers: [endpoints.kafkaBrokers], clientId: 'test', log })
  const codec = await openEventCodec({ registryUrl: endpoints.schemaRegistryUrl })
  await using producer = await openProducer(kafka, { log })
  const id = deliveryId(eventId, webhookId)
  const value = codec.job.encode({
    ...{ deliveryId: id, webhookId: id, eventId, subscriptionId: webhookId },
    ...{ projectId: tenant.projectId, environment: tenant.environment },
    ...{ table: 'orders', operation: 'INSERT', recordId, url },
    ...{ body: Buffer.from('{}'), createdAt: Date.now(), attempt: 1, step: 0, dueAt: 0 },
    ...{ arrival: -1, redeliveryOf: null, traceparent: null, notBefore: 0, waitMs: 0 },
  })
  await producer.send([{ topic: deliveriesTopic, key: url, value }])
}
