import type { Metrics } from '@surehook/service-kit/telemetry/metrics'
import type { Kafka as KafkaJs, RequestEvent } from 'kafkajs'
import type { Kafka } from './surface.ts'

type Count = (api: string) => void

const counts = new WeakMap<Kafka, Count>()

/**
 * Counts the requests of all clients that `kafka` opens from now on.
 * @returns the same `kafka`
 */
export function countRequests(kafka: KafkaJs, metrics: Metrics | undefined): KafkaJs {
  const counter = metrics?.counter({
    name: 'surehook_kafka_requests_total',
    help: 'Requests to Kafka that were answered, by API of the Kafka protocol',
    labelNames: ['api'],
  })
  if (counter === undefined) return kafka
  const count: Count = (api) => counter.inc({ api })
  counts.set(kafka, count)
  const onRequest = ({ payload }: RequestEvent) => count(payload.apiName)
  const { admin, consumer } = kafka
  return Object.assign(kafka, {
    admin(config?: Parameters<KafkaJs['admin']>[0]) {
      const opened = admin.call(kafka, config)
      opened.on(opened.events.REQUEST, onRequest)
      return opened
    },
    consumer(config: Parameters<KafkaJs['consumer']>[0]) {
      const opened = consumer.call(kafka, config)
      opened.on(opened.events.REQUEST, onRequest)
      return opened
    },
  })
}

/**
 * Emitter for connections that no kafkajs client opens. It counts their requests in the same
 * metric.
 */
export const requestEvents = (kafka: Kafka) => ({
  emit(event: string, { apiName }: RequestEvent['payload']): void {
    if (event === 'network.request') counts.get(kafka)?.(apiName)
  },
})
