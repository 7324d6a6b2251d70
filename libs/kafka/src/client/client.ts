import type { Metrics } from '@surehook/service-kit/telemetry/metrics'
import { type KafkaConfig, Kafka as KafkaJs, type LogEntry, logLevel } from 'kafkajs'
import type { Logger } from 'pino'
import type { KafkaSecurity } from '../config/kafka-connection.ts'
import { applyPatches } from '../kafkajs-patches/apply-patches.ts'
import { answeringFirst } from '../kafkajs-patches/connections/unresponsive-broker.ts'
import { AnsweredRequests, answeredRequestsOf, watchRequests } from './answered-requests.ts'
import type { Kafka } from './surface.ts'

export type KafkaClientOptions = {
  brokers: readonly string[]
  clientId: string
  security?: KafkaSecurity
  log: Logger
  metrics?: Metrics | undefined
}

/**
 * Creates the Kafka client, the only way to a cluster. Its connections give up soon, so that the
 * caller decides what to do next.
 */
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
  const kafka = watchRequests(new KafkaJs(config), new AnsweredRequests(metrics))
  configs.set(kafka, config)
  return kafka
}

const configs = new WeakMap<Kafka, KafkaConfig>()

/**
 * Returns a client of the same cluster for long-lived use: it retries connections until `signal`
 * aborts. A consumer that gave up earlier would have to rejoin its group as a new member, and the
 * group would wait until the old member's session ends.
 */
export function kafkaUntil(signal: AbortSignal, kafka: Kafka): KafkaJs {
  const config = configs.get(kafka)
  if (config === undefined) throw new Error('Not a client that createKafka made')
  // kafkajs has no way to stop retrying, but it compares this value with its count before each
  // retry.
  const retries = { valueOf: () => (signal.aborted ? 0 : Number.MAX_SAFE_INTEGER) }
  const retry = { ...config.retry, maxRetryTime: 1_000, retries: retries as unknown as number }
  return watchRequests(new KafkaJs({ ...config, retry }), answeredRequestsOf(kafka))
}

/** Warnings about uses of the library that are intended. */
const knownWarnings = /^(?:KafkaJS v2\.0\.0 switched|Limiting retries for the idempotent producer)/

function logInto(log: Logger): (entry: LogEntry) => void {
  return ({
    level,
    namespace,
    log: { message, timestamp: _timestamp, logger: _logger, ...fields },
  }) => {
    if (knownWarnings.test(message)) return
    // kafkajs logs a lost connection as an error, and restores it itself. Nobody must act.
    const write = level <= logLevel.WARN ? log.warn : log.debug
    write.call(log, { namespace, reason: message, ...fields, stack: undefined }, 'kafka.client')
  }
}
