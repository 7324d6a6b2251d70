import { randomUUID } from 'node:crypto'
import { orAborted } from '@surehook/service-kit/bounded'
import { unavailable } from '@surehook/service-kit/errors'
import type { Consumer, EachBatchPayload } from 'kafkajs'
import type { Logger } from 'pino'
import type { Kafka, KafkaMessage } from '../client/surface.ts'
import { PartitionReader } from '../consumer/partition-reader.ts'
import { SupervisedConsumer } from '../consumer/supervised-consumer.ts'
import type { EmptyFetch } from '../kafkajs-patches/fetching/empty-fetches.ts'
import { partitionKey } from '../topics/partition-key.ts'
import type { LogSpan } from './log-reader.ts'

export type TopicSpan = LogSpan & { topic: string }

/** Called with the records of one span in order, one call at a time. */
export type HandleRecords = (
  at: { topic: string; partition: number },
  messages: readonly KafkaMessage[],
) => void | Promise<void>

export type SpanReader = AsyncDisposable & {
  /**
   * Reads all records of some spans, at most one per partition. Rejects with SERVICE_UNAVAILABLE
   * when Kafka returns nothing for a while, with an error of `handle`, and with the signal's
   * reason. Call it once at a time.
   */
  read(spans: readonly TopicSpan[], handle: HandleRecords, signal: AbortSignal): Promise<void>
}

export type SpanReaderOptions = {
  kafka: Kafka
  topics: readonly string[]
  clientId: string
  log: Logger
}

/** Milliseconds before a read begins, and for which a fetch without records waits. */
const pauseMs = 100
const silentMs = 20_000

/** Reads large spans of several logs, partitions in parallel. It commits nothing. */
export function openSpanReader(options: SpanReaderOptions): SpanReader {
  return new KafkaSpanReader(options)
}

type SpanRead = {
  open: Map<string, TopicSpan>
  handle: HandleRecords
  movedAt: number
  done: PromiseWithResolvers<void>
}

class KafkaSpanReader implements SpanReader {
  readonly #consumer: SupervisedConsumer
  readonly #partitions: PartitionReader
  #reading: SpanRead | null = null

  constructor({ kafka, topics, clientId, log }: SpanReaderOptions) {
    this.#partitions = new PartitionReader(() => this.#consumer.current)
    this.#consumer = new SupervisedConsumer({
      kafka,
      groupId: () => `${clientId}.spans.${randomUUID()}`,
      topics,
      fromBeginning: true,
      concurrency: 1,
      autoResolve: true,
      config: { maxWaitTimeInMs: pauseMs },
      onConsumer: (consumer) => this.#watch(consumer),
      onEmptyFetch: (empty) => this.#empty(empty),
      eachBatch: (payload) => this.#eachBatch(payload),
      log,
    })
  }

  async read(
    spans: readonly TopicSpan[],
    handle: HandleRecords,
    signal: AbortSignal,
  ): Promise<void> {
    signal.throwIfAborted()
    const open = new Map(
      spans.filter(({ from, to }) => from < to).map((span) => [partitionKey(span), { ...span }]),
    )
    if (open.size === 0) return
    const reading = {
      open,
      handle,
      movedAt: performance.now(),
      done: Promise.withResolvers<void>(),
    }
    reading.done.promise.catch(() => undefined)
    const ends = AbortSignal.any([signal, this.#consumer.stopping])
    const silence = setInterval(() => {
      if (performance.now() - reading.movedAt > silentMs) {
        reading.done.reject(unavailable('Kafka does not show its log'))
      }
    }, 1_000)
    try {
      await orAborted(Promise.race([this.#consumer.ready, reading.done.promise]), ends)
      this.#reading = reading
      for (const span of open.values()) this.#begin(span)
      await orAborted(reading.done.promise, ends)
    } finally {
      clearInterval(silence)
      this.#reading = null
      for (const span of open.values()) this.#pause(span)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#consumer[Symbol.asyncDispose]()
  }

  #begin({ topic, partition, from }: TopicSpan): void {
    this.#partitions.seek({ topic, partition, offset: String(from) })
    this.#partitions.resume([{ topic, partitions: [partition] }])
  }

  #pause({ topic, partition }: TopicSpan): void {
    this.#partitions.pause([{ topic, partitions: [partition] }])
  }

  #watch(consumer: Consumer): void {
    consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
      const assigned = Object.entries(payload.memberAssignment)
      consumer.pause(assigned.map(([topic, partitions]) => ({ topic, partitions })))
      for (const span of this.#reading?.open.values() ?? []) this.#begin(span)
    })
  }

  async #eachBatch({ batch, isStale }: EachBatchPayload): Promise<void> {
    const reading = this.#reading
    const span = reading?.open.get(partitionKey(batch))
    if (!reading || !span || isStale()) return
    const next = Math.min(Number(batch.lastOffset()) + 1, span.to)
    if (next <= span.from) return
    const { from } = span
    reading.movedAt = performance.now()
    span.from = next
    const isInside = ({ offset }: KafkaMessage) =>
      Number(offset) >= from && Number(offset) < span.to
    try {
      await reading.handle(span, batch.messages.filter(isInside))
    } catch (err) {
      reading.done.reject(err)
      return
    }
    reading.movedAt = performance.now()
    if (span.from >= span.to) this.#close(reading, span)
  }

  #close(reading: SpanRead, span: TopicSpan): void {
    this.#pause(span)
    reading.open.delete(partitionKey(span))
    if (reading.open.size === 0) reading.done.resolve()
  }

  /** The end of a span may have no readable records. */
  #empty(empty: EmptyFetch): void {
    const reading = this.#reading
    const span = reading?.open.get(partitionKey(empty))
    if (!reading || !span || empty.from < span.from || empty.to <= span.from) return
    reading.movedAt = performance.now()
    span.from = Math.min(empty.to, span.to)
    if (span.from >= span.to) this.#close(reading, span)
  }
}
