import { randomUUID } from 'node:crypto'
import { boundedBy, orAborted } from '@surehook/service-kit/bounded'
import type { Consumer, EachBatchPayload } from 'kafkajs'
import type { Logger } from 'pino'
import type { Kafka, KafkaMessage } from '../client/surface.ts'
import { PartitionReader } from '../consumer/partition-reader.ts'
import { SupervisedConsumer } from '../consumer/supervised-consumer.ts'
import type { EmptyFetch } from '../kafkajs-patches/fetching/empty-fetches.ts'
import { LogEnds, type PartitionBounds } from '../offsets/log-ends.ts'

/** Offsets from `from` up to, but not including, `to`. */
export type LogSpan = { partition: number; from: number; to: number }

export type LogPiece = {
  messages: KafkaMessage[]
  /** Offset of the next read, or the span's `to` when it has no more records. */
  next: number
}

export type LogReader = AsyncDisposable & {
  readonly healthy: boolean
  /** Current start and end offsets of each partition that has a leader. */
  bounds(): Promise<PartitionBounds[]>
  /** The partitions, with or without a leader. */
  partitions(): Promise<number[]>
  /** Offset of the first record at or after `timestampMs`, by partition that has a leader. */
  offsetsAt(timestampMs: number): Promise<ReadonlyMap<number, number>>
  /**
   * Returns the first records of the span, as many as one fetch returns. A reader runs its reads
   * one after another. Rejects with SERVICE_UNAVAILABLE when Kafka does not answer in time.
   */
  read(span: LogSpan, signal?: AbortSignal): Promise<LogPiece>
}

export type LogReaderOptions = { kafka: Kafka; topic: string; clientId: string; log: Logger }

const readWithinMs = 10_000
/** Milliseconds after which a fetch at the end of the log returns without records. */
const fetchWaitMs = 50

/** Reads single spans of a log. It commits nothing and does not affect other consumers. */
export function openLogReader(options: LogReaderOptions): LogReader {
  return new KafkaLogReader(options)
}

type PendingSpan = { span: LogSpan; done: PromiseWithResolvers<LogPiece> }

class KafkaLogReader implements LogReader {
  readonly #topic: string
  readonly #ends: LogEnds
  readonly #consumer: SupervisedConsumer
  readonly #partitions: PartitionReader
  #turn: Promise<unknown> = Promise.resolve()
  #pending: PendingSpan | null = null

  constructor({ kafka, topic, clientId, log }: LogReaderOptions) {
    this.#topic = topic
    this.#ends = new LogEnds(kafka, [topic], log)
    this.#partitions = new PartitionReader(() => this.#consumer.current)
    this.#consumer = new SupervisedConsumer({
      kafka,
      groupId: () => `${clientId}.reader.${randomUUID()}`,
      topics: [topic],
      fromBeginning: true,
      concurrency: 1,
      autoResolve: true,
      config: { maxWaitTimeInMs: fetchWaitMs },
      onConsumer: (consumer) => this.#watch(consumer),
      onEmptyFetch: (empty) => this.#empty(empty),
      eachBatch: (payload) => this.#eachBatch(payload),
      log,
    })
  }

  get healthy(): boolean {
    return this.#consumer.healthy
  }

  bounds(): Promise<PartitionBounds[]> {
    return boundedBy(readWithinMs, this.#ends.readLed(), 'Kafka did not return the end offsets')
  }

  partitions(): Promise<number[]> {
    return boundedBy(readWithinMs, this.#ends.partitions(), 'Kafka did not return the partitions')
  }

  async offsetsAt(timestampMs: number): Promise<ReadonlyMap<number, number>> {
    const asked = this.#ends.readAt(timestampMs)
    const offsets = await boundedBy(readWithinMs, asked, 'Kafka did not return the offsets')
    return new Map(offsets.map(({ partition, offset }) => [partition, offset]))
  }

  async read(span: LogSpan, signal?: AbortSignal): Promise<LogPiece> {
    if (span.from >= span.to) return { messages: [], next: span.to }
    const read = this.#turn.then(() => this.#readNow(span, signal))
    this.#turn = read.catch(() => undefined)
    return boundedBy(2 * readWithinMs, read, 'The log is read by too many')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#consumer[Symbol.asyncDispose]()
    await this.#ends[Symbol.asyncDispose]()
  }

  async #readNow(span: LogSpan, signal?: AbortSignal): Promise<LogPiece> {
    signal?.throwIfAborted()
    await boundedBy(readWithinMs, this.#consumer.ready, 'The log cannot be read yet')
    const pending = { span, done: Promise.withResolvers<LogPiece>() }
    this.#pending = pending
    try {
      this.#begin(pending)
      const piece = boundedBy(readWithinMs, pending.done.promise, 'Kafka does not show its log')
      return await orAborted(piece, signal ?? this.#consumer.stopping)
    } finally {
      this.#pending = null
      this.#partitions.pause([{ topic: this.#topic, partitions: [span.partition] }])
    }
  }

  #begin({ span: { partition, from } }: PendingSpan): void {
    this.#partitions.seek({ topic: this.#topic, partition, offset: String(from) })
    this.#partitions.resume([{ topic: this.#topic, partitions: [partition] }])
  }

  #watch(consumer: Consumer): void {
    consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
      const partitions = payload.memberAssignment[this.#topic] ?? []
      consumer.pause([{ topic: this.#topic, partitions }])
      if (this.#pending !== null) this.#begin(this.#pending)
    })
  }

  async #eachBatch({ batch, isStale }: EachBatchPayload): Promise<void> {
    const pending = this.#pending
    if (pending === null || isStale() || batch.partition !== pending.span.partition) return
    const { from, to } = pending.span
    const next = Math.min(Number(batch.lastOffset()) + 1, to)
    if (next <= from) return
    const isInside = ({ offset }: KafkaMessage) => Number(offset) >= from && Number(offset) < to
    this.#pending = null
    pending.done.resolve({ messages: batch.messages.filter(isInside), next })
  }

  /**
   * The end of a span may have no readable records. A new leader shows less of the log at first than
   * the old one did, so only what it shows is read.
   */
  #empty({ partition, from, to }: EmptyFetch): void {
    const pending = this.#pending
    if (pending === null || partition !== pending.span.partition) return
    if (from < pending.span.from || to <= pending.span.from) return
    this.#pending = null
    pending.done.resolve({ messages: [], next: Math.min(to, pending.span.to) })
  }
}
