import type { Metrics } from '@surehook/service-kit/telemetry/metrics'
import type { Kafka as KafkaJs, RequestEvent } from 'kafkajs'
import type { Kafka } from './surface.ts'

/** The requests of a service that brokers answered, whichever of its clients sent them. */
export class AnsweredRequests {
  /** Time of the last answer by `performance.now()`. */
  #lastAt = Number.NEGATIVE_INFINITY
  readonly #counter: ReturnType<Metrics['counter']> | undefined

  constructor(metrics: Metrics | undefined) {
    this.#counter = metrics?.counter({
      name: 'surehook_kafka_requests_total',
      help: 'Requests to Kafka that were answered, by API of the Kafka protocol',
      labelNames: ['api'],
    })
  }

  /** kafkajs reports a request when its answer has arrived. */
  readonly onRequest = ({ payload }: RequestEvent): void => this.answered(payload.apiName)

  answered(api: string): void {
    this.#lastAt = performance.now()
    this.#counter?.inc({ api })
  }

  /** Whether a broker answered within the last `ms` milliseconds. */
  hasWithin(ms: number): boolean {
    return performance.now() - this.#lastAt < ms
  }
}

const answeredRequests = new WeakMap<Kafka, AnsweredRequests>()

/**
 * Watches the requests of all clients that `kafka` opens from now on.
 * @returns the same `kafka`
 */
export function watchRequests(kafka: KafkaJs, requests: AnsweredRequests): KafkaJs {
  answeredRequests.set(kafka, requests)
  const { admin, consumer } = kafka
  return Object.assign(kafka, {
    admin(config?: Parameters<KafkaJs['admin']>[0]) {
      const opened = admin.call(kafka, config)
      opened.on(opened.events.REQUEST, requests.onRequest)
      return opened
    },
    consumer(config: Parameters<KafkaJs['consumer']>[0]) {
      const opened = consumer.call(kafka, config)
      opened.on(opened.events.REQUEST, requests.onRequest)
      return opened
    },
  })
}

/** Throws if `createKafka` did not make the client. */
export function answeredRequestsOf(kafka: Kafka): AnsweredRequests {
  const requests = answeredRequests.get(kafka)
  if (requests === undefined) throw new Error('Not a client that createKafka made')
  return requests
}

/** Emitter for connections that no kafkajs client opens. */
export const requestEvents = (kafka: Kafka) => ({
  emit(event: string, { apiName }: RequestEvent['payload']): void {
    if (event === 'network.request') answeredRequests.get(kafka)?.answered(apiName)
  },
})
