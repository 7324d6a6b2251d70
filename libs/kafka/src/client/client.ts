import type { KafkaSecurity } from '@surehook/service-kit/config/connections'
import { Kafka, type KafkaConfig, type LogEntry, logLevel } from 'kafkajs'
import type { Logger } from 'pino'
import { applyPatches } from '../kafkajs-patches/apply-patches.ts'
import { answeringFirst } from '../kafkajs-patches/unresponsive-broker.ts'

export type KafkaClientOptions = {
  brokers: readonly string[]
  clientId: string
  security?: KafkaSecurity
  log: Logger
}

/** The one way to a cluster. What it opens gives up soon: whoever uses it decides what then. */
export function createKafka({ brokers, clientId, security, log }: KafkaClientOptions): Kafka {
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
  const kafka = new Kafka(config)
  configs.set(kafka, config)
  return kafka
}

const configs = new WeakMap<Kafka, KafkaConfig>()

/**
 * A client of the same cluster for what lives long: connections are tried again until `signal`
 * aborts. A consumer that gave up earlier would have to join its group as a new member, and the
 * group waits for the old one until its session ends.
 */
export function kafkaUntil(signal: AbortSignal, kafka: Kafka): Kafka {
  const config = configs.get(kafka)
  if (config === undefined) throw new Error('Not a client that createKafka made')
  // kafkajs cannot be told to stop; but it compares this with its count before every further try.
  const retries = { valueOf: () => (signal.aborted ? 0 : Number.MAX_SAFE_INTEGER) }
  return new Kafka({
    ...config,
    retry: { ...config.retry, maxRetryTime: 1_000, retries: retries as unknown as number },
  })
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
