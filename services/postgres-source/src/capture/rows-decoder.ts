import type { WalDecoder, WalPlace } from '@surehook/change-capture/relay/wal-decoder'
import type { ChangeEvent } from '@surehook/contracts/events'
import { changeKey } from '@surehook/contracts/ids'
import { changesTopic } from '@surehook/contracts/topics'
import { invalidRecord } from '@surehook/kafka/producer/invalid-messages'
import type { OutgoingRecord } from '@surehook/kafka/producer/producer'
import type { EventCodec } from '@surehook/schemas/codec'
import { reasonOf } from '@surehook/service-kit/errors'
import type { Logger } from 'pino'
import { PartialRowError } from '../rows/row-changes.ts'
import type { RowMessage } from '../wal/pgoutput.ts'
import { type RowContent, RowsPlugin } from '../wal/rows-plugin.ts'
import { type SourceIdentity, sourceEvent } from './source-event.ts'
import {
  requestPrefix,
  type SourceChange,
  WalChanges,
  type WalChangesOptions,
} from './wal-changes.ts'

export type RowsDecoderOptions = WalChangesOptions & {
  source: SourceIdentity
  publication: string
  codec: Pick<EventCodec, 'change' | 'invalid'>
  /** A heartbeat that was written to the WAL came back. */
  onHeartbeat: (content: string) => void
  /** Called for each change, with the time of its commit in ms since the epoch. */
  onChange: (committedAt: number) => void
  log: Logger
}

/** A heartbeat is a transaction of its own: the WAL of a message outside of one is not flushed. */
export const heartbeatPrefix = 'surehook.heartbeat'

/** Makes records for `changes` of the rows of a source. */
export class RowsDecoder implements WalDecoder<RowContent> {
  readonly plugin: RowsPlugin
  readonly #options: RowsDecoderOptions
  readonly #changes: WalChanges

  constructor(options: RowsDecoderOptions) {
    this.#options = options
    this.#changes = new WalChanges(options)
    this.plugin = new RowsPlugin({ publication: options.publication })
  }

  records(content: RowContent, place: WalPlace): OutgoingRecord[] | Promise<OutgoingRecord[]> {
    const { message } = content
    if (message.tag === 'unreadable') throw message.reason
    if (message.tag === 'relation') return this.#changes.setRelation(message).then(() => [])
    if (message.tag === 'truncate') {
      const emptied = this.#changes.truncated(message.oids, place, content)
      return emptied.map((of) => this.#truncation(of))
    }
    if (message.tag === 'message') {
      if (message.prefix === heartbeatPrefix) this.#options.onHeartbeat(message.content)
      const names = message.transactional && message.prefix === requestPrefix
      if (names) this.#changes.setRequest(message.content.slice(0, maxRequestId), place)
      return []
    }
    return this.#ofRow(message, place, content)
  }

  reached(): void {
    // The WAL positions of another cluster say nothing about subscriptions.
  }

  acknowledged(): void {
    // An application's transaction has no span here.
  }

  refused({ topic, key, value }: OutgoingRecord, reason: string): OutgoingRecord {
    const bytes = key === null ? null : Buffer.from(key)
    return this.#invalid({ topic, key: bytes, value, reason })
  }

  watch(): Promise<void> {
    return Promise.resolve()
  }

  [Symbol.dispose](): void {
    // Holds nothing open.
  }

  #ofRow(message: RowMessage, place: WalPlace, content: RowContent): OutgoingRecord[] {
    try {
      return this.#changes.ofRow(message, place, content).map((change) => this.#record(change))
    } catch (err) {
      if (!(err instanceof PartialRowError)) throw err
      return [this.#invalid({ topic: changesTopic, key: null, value: null, reason: reasonOf(err) })]
    }
  }

  #truncation({ table, committedAt, id }: Pick<SourceChange, 'table' | 'committedAt' | 'id'>) {
    const says = { event: 'truncated', table }
    return this.#encoded(sourceEvent(this.#options.source, { id, committedAt, says }))
  }

  #record(change: SourceChange): OutgoingRecord {
    const { source } = this.#options
    const { committedAt, previous: _, ...rest } = change
    this.#options.onChange(committedAt)
    const { projectId, environment, name } = source
    const event: ChangeEvent = {
      ...rest,
      ...{ projectId, environment, source: `postgres/${name}`, traceparent: null },
      timestamp: new Date(committedAt).toISOString(),
    }
    return this.#encoded(event)
  }

  #encoded(event: ChangeEvent): OutgoingRecord {
    const value = this.#options.codec.change.encode(event)
    return { topic: changesTopic, key: changeKey(event), value }
  }

  #invalid({ topic, key, value, reason }: Invalid): OutgoingRecord {
    const { codec, log, source } = this.#options
    log.error({ ...source, bytes: value?.length ?? 0 }, 'source.row.invalid')
    const message = { key, value, offset: '-1' }
    const refusedBy = 'postgres-source.relay'
    return invalidRecord(codec, { topic, partition: -1, message, reason, refusedBy })
  }
}

type Invalid = { topic: string; key: Buffer | null; value: Buffer | null; reason: string }

const maxRequestId = 200
