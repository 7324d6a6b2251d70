import type { Metrics } from '@surehook/service-kit/telemetry/metrics'
import type { Kafka, RequestEvent } from 'kafkajs'

/** Counts the requests of all clients that `kafka` opens from now on. @returns the same `kafka` */
export function countRequests(kafka: Kafka, metrics: Metrics | undefined): Kafka {
  const counter = metrics?.counter({
    name: 'surehook_kafka_requests_total',
    help: 'Requests to Kafka that were answered, by API of the Kafka protocol',
    labelNames: ['api'],
  })
  if (counter === undefined) return kafka
  const count = ({ payload }: RequestEvent) => counter.inc({ api: payload.apiName })
  const { admin, consumer, producer } = kafka
  return Object.assign(kafka, {
    admin(config?: Parameters<Kafka['admin']>[0]) {
      const opened = admin.call(kafka, config)
      opened.on(opened.events.REQUEST, count)
      return opened
    },
    consumer(config: Parameters<Kafka['consumer']>[0]) {
      const opened = consumer.call(kafka, config)
      opened.on(opened.events.REQUEST, count)
      return opened
    },
    producer(config?: Parameters<Kafka['producer']>[0]) {
      const opened = producer.call(kafka, config)
      opened.on(opened.events.REQUEST, count)
      return opened
    },
  })
}
