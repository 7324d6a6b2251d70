import type { EventProducer, OutgoingRecord } from '@surehook/kafka/producer/producer'
import type { Metrics } from '@surehook/service-kit/telemetry/metrics'
import type { Tracer } from '@surehook/service-kit/telemetry/tracing/tracer'
import type { Logger } from 'pino'
import type { WalMessage } from '../emit/capture.ts'
import type { InvalidCapture } from '../emit/to-invalid.ts'

export type RelayOptions = {
  service: string
  slot: string
  databaseUrl: string
  producer: Pick<EventProducer, 'send' | 'healthy'>
  toRecord: (captured: WalMessage) => OutgoingRecord
  /**
   * Builds the record to send in place of an invalid message or of one that Kafka refuses. One such
   * message must not stop the relay.
   */
  toInvalid: (invalid: InvalidCapture) => OutgoingRecord
  /**
   * Service whose states change the meaning of a record. Each record carries `states-position`, up
   * to which these states are on their topic.
   */
  statesOf?: { service: string; slot: string } | undefined
  publication?: string
  log: Logger
  metrics?: Metrics | undefined
  tracer?: Tracer | undefined
}
