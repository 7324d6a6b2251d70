import type { EventProducer, OutgoingRecord } from '@surehook/kafka/producer/producer'
import type { Metrics } from '@surehook/service-kit/telemetry/metrics'
import type { Tracer } from '@surehook/service-kit/telemetry/tracing/tracer'
import type { Logger } from 'pino'
import type { Captured } from '../emit/capture.ts'
import type { InvalidCapture } from '../emit/to-invalid.ts'

export type RelayOptions = {
  service: string
  slot: string
  databaseUrl: string
  producer: Pick<EventProducer, 'send' | 'healthy'>
  toRecord: (captured: Captured) => OutgoingRecord
  /**
   * The record to send in place of a message that is not valid or that Kafka refuses: one such message
   * must not stop the relay for all.
   */
  toInvalid: (invalid: InvalidCapture) => OutgoingRecord
  /** The service whose states change what a record means: each record says how far they are on their topic. */
  statesOf?: { service: string; slot: string } | undefined
  publication?: string
  log: Logger
  metrics?: Metrics | undefined
  tracer?: Tracer | undefined
}
