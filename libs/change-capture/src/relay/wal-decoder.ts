import type { OutgoingRecord } from '@surehook/kafka/producer/producer'
import type { PgoutputPlugin } from 'pg-logical-replication'
import type { SlotMonitor } from '../slot/slot-monitor.ts'

/** A message of the slot. `content` is what the decoder makes records of. */
export type WalMessage<Content> =
  | { tag: 'begin'; commit: bigint }
  | { tag: 'commit'; end: bigint }
  | { tag: 'content'; content: Content }

/** Where content lies in the WAL. `lsn` is its own position, as PostgreSQL prints it. */
export type WalPlace = { commit: bigint; lsn: string }

/** Runs pgoutput on the server and decodes its messages. */
export type WalPlugin<Content> = Pick<PgoutputPlugin, 'name' | 'start'> & {
  readonly options: unknown
  /** `null`: a message that nobody needs. Reads the buffer at once: the connection reuses it. */
  parse: (buffer: Buffer) => WalMessage<Content> | null
}

type Records = readonly OutgoingRecord[]

/** Decides what one slot's content becomes on Kafka. The reader of the slot owns one at a time. */
export interface WalDecoder<Content> extends Disposable {
  readonly plugin: WalPlugin<Content>
  /** Returns the records for Kafka, in order. Until a promise resolves, nothing else is read. */
  records(content: Content, place: WalPlace): Records | Promise<Records>
  /** All commits up to `lsn` have been read. */
  reached(lsn: bigint): void
  acknowledged(record: OutgoingRecord): void
  /** Returns the record to send in place of one that Kafka refuses. */
  refused(record: OutgoingRecord, reason: string): OutgoingRecord
  /** Called once the slot is read, and every few seconds. */
  watch(monitor: SlotMonitor): Promise<void>
}
