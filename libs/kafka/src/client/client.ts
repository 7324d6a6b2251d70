import type { KafkaSecurity } from '@surehook/service-kit/config/connections'
import type { Metrics } from '@surehook/service-kit/telemetry/metrics'
import { Kafka, type KafkaConfig, type LogEntry, logLevel } from 'kafkajs'
import type { Logger } from 'pino'
import { applyPatches } from '../kafkajs-patches/apply-patches.ts'
import { answeringFirst } from '../kafkajs-patches/connections/unresponsive-broker.ts'
import { countRequests } from './request-count.ts'

export type KafkaClientOptions = {
  brokers: readonly string[]
  clientId: string
  security?: KafkaSecurity
  log: Logger
  metrics?: Metrics | undefined
}

/** The one way to a cluster. What it opens gives up soon: whoever uses it decides what then. */
export function createKafka(options: KafkaClientOptions): Kafka {
  const { brokers, clientId, security, log, metrics } = options
  const config: KafkaConfig = {
    ...(security as Pick<KafkaConfig, 'ssl' | 'sasl'> | undefined),
    brokers: () => answeringFirst(brokers),
    clientId,
    connectionTimeout: 3_000,
    requestTimeout: 15_000,
    retry: { initialRetryTime: 50, maxRetryTime: 500, retries: 3 },
    logLevel: logLevel.INFO,
    logCreator: () => logInto(log.child({ component: 'kafka' })),
  }
  applyPatches()
  const kafka = countRequests(new Kafka(config), metrics)
  origins.set(kafka, { config, metrics })
  return kafka
}

const origins = new WeakMap<Kafka, { config: KafkaConfig; metrics: Metrics | undefined }>()

/**
 * A client of the same cluster for what lives long: connections are tried again until `signal`
 * aborts. A consumer that gave up earlier would have to join its group as a new member, and the
 * group waits for the old one until its session ends.
 */
export function kafkaUntil(signal: AbortSignal, kafka: Kafka): Kafka {
  const origin = origins.get(kafka)
  if (origin === undefined) throw new Error('Not a client that createKafka made')
  const { config, metrics } = origin
  // kafkajs cannot be told to stop; but it compares this with its count before every further try.
  const retries = { valueOf: () => (signal.aborted ? 0 : Number.MAX_SAFE_INTEGER) }
  const retry = { ...config.retry, maxRetryTime: 1_000, retries: retries as unknown as number }
  return countRequests(new Kafka({ ...config, retry }), metrics)
}

/** Warnings about how we use the library, where we do so on purpose. */
const knownWarnings = /^(?:KafkaJS v2\.0\.0 switched|Limiting retries for the idempotent producer)/

function logInto(log: Logger): (entry: LogEntry) => void {
  return ({
    level,
    namespace,
    log: { message, timestamp: _timestamp, logger: _logger, ...fields },
  }) => {
    if (knownWarnings.test(message)) return
    // What kafkajs calls an error is a lost connection that it makes again: nobody must act.
    const write = level <= logLevel.WARN ? log.warn : log.debug
    write.call(log, { namespace, reason: message, ...fields, stack: undefined }, 'kafka.client')
  }
}
