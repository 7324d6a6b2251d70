import type { WalOrigin } from '@surehook/contracts/wal-position'
import type { EventProducer, OutgoingRecord } from '@surehook/kafka/producer/producer'
import type { Metrics } from '@surehook/service-kit/telemetry/metrics'
import type { Tracer } from '@surehook/service-kit/telemetry/tracing/tracer'
import type { ClientConfig } from 'pg'
import type { Logger } from 'pino'
import type { WalMessage } from '../emit/capture.ts'
import type { InvalidCapture } from '../emit/to-invalid.ts'
import type { CaptureContent } from './capture-plugin.ts'
import type { WalDecoder } from './wal-decoder.ts'

export type RelayOptions<Content> = {
  service: string
  slot: string
  /** How to connect to the slot's database. */
  connection: ClientConfig
  producer: Pick<EventProducer, 'send' | 'healthy'>
  /** Opens the decoder of what is read from `confirmed` on. */
  decoder: (origin: WalOrigin, confirmed: bigint) => WalDecoder<Content>
  /** Runs before a position is confirmed. If it rejects, the position is not confirmed. */
  beforeConfirm?: ((lsn: bigint) => Promise<void>) | undefined
  /**
   * Milliseconds between two confirmations of own messages. Each wakes the server, and a crash
   * repeats unconfirmed messages.
   */
  confirmEveryMs?: number | undefined
  /** Called when the relay ends a session because of an error, before it tries again. */
  onFailure?: ((err: unknown) => void) | undefined
  log: Logger
  metrics?: Metrics | undefined
}

/** Options for a relay of what a service captures. */
export type CaptureOptions = Pick<
  RelayOptions<CaptureContent>,
  'service' | 'slot' | 'producer' | 'log' | 'metrics'
> & {
  databaseUrl: string
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
  tracer?: Tracer | undefined
}
