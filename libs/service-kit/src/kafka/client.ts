import { Kafka, type LogEntry, logLevel } from 'kafkajs'
import type { Logger } from 'pino'

export type KafkaClientOptions = { brokers: readonly string[]; clientId: string; log: Logger }

/** The one way to a cluster: its retries are short, because whoever uses it retries for ever itself. */
export function createKafka({ brokers, clientId, log }: KafkaClientOptions): Kafka {
  return new Kafka({
    brokers: [...brokers],
    clientId,
    connectionTimeout: 3_000,
    requestTimeout: 15_000,
    retry: { initialRetryTime: 50, maxRetryTime: 500, retries: 3 },
    logLevel: logLevel.INFO,
    logCreator: () => logInto(log.child({ component: 'kafka' })),
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
