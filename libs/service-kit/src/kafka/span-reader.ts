import { randomUUID } from 'node:crypto'
import type { Consumer, EachBatchPayload, Kafka, KafkaMessage } from 'kafkajs'
import type { Logger } from 'pino'
import { orAborted } from '../bounded.ts'
import { unavailable } from '../errors.ts'
import { LaneReader } from './lane-reader.ts'
import { LogEnds } from './log-ends.ts'
import type { LogSpan } from './log-reader.ts'
import { QuietFetches } from './quiet-fetches.ts'
import { SupervisedConsumer } from './supervised-consumer.ts'

export type TopicSpan = LogSpan & { topic: string }

/** Called with the records of one span in their order, one call at a time. */
export type HandleRecords = (
  at: { topic: string; partition: number },
  messages: readonly KafkaMessage[],
) => void | Promise<void>

export type SpanReader = AsyncDisposable & {
  /**
   * Reads all of some spans, of which no two are of one partition. Rejects with SERVICE_UNAVAILABLE when
   * Kafka shows nothing for a while, with what `handle` throws, and with the reason of the signal. One
   * reading at a time.
   */
  read(spans: readonly TopicSpan[], handle: HandleRecords, signal: AbortSignal): Promise<void>
}

export type SpanReaderOptions = {
  kafka: Kafka
  topics: readonly string[]
  clientId: string
  log: Logger
}

/** How soon a reading begins, and how long a fetch that has nothing takes. */
const pauseMs = 100
const silentMs = 20_000

/** For who reads large parts of several logs at once: partitions are read side by side. Commits nothing. */
export function openSpanReader(options: SpanReaderOptions): SpanReader {
  return new KafkaSpanReader(options)
}

type Reading = {
  open: Map<string, TopicSpan>
  handle: HandleRecords
  movedAt: number
  done: PromiseWithResolvers<void>
}

const keyOf = ({ topic, partition }: { topic: string; partition: number }) =>
  `${topic}/${partition}`

class KafkaSpanReader implements SpanReader {
  readonly #log: Logger
  readonly #ends: LogEnds
  readonly #consumer: SupervisedConsumer
  readonly #lanes: LaneReader
  readonly #quiet = new QuietFetches(pauseMs)
  #reading: Reading | null = null
  #looking = false

  constructor({ kafka, topics, clientId, log }: SpanReaderOptions) {
    this.#log = log
    this.#ends = new LogEnds(kafka, topics, log)
    this.#lanes = new LaneReader(() => this.#consumer.current)
    this.#consumer = new SupervisedConsumer({
      kafka,
      groupId: () => `${clientId}.spans.${randomUUID()}`,
      topics,
      fromBeginning: true,
      concurrency: 1,
      autoResolve: true,
      config: { maxWaitTimeInMs: pauseMs },
      onConsumer: (consumer) => this.#watch(consumer),
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
      spans.filter(({ from, to }) => from < to).map((span) => [keyOf(span), { ...span }]),
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
    await this.#ends[Symbol.asyncDispose]()
  }

  #begin({ topic, partition, from }: TopicSpan): void {
    this.#lanes.seek({ topic, partition, offset: String(from) })
    this.#lanes.resume([{ topic, partitions: [partition] }])
  }

  #pause({ topic, partition }: TopicSpan): void {
    this.#lanes.pause([{ topic, partitions: [partition] }])
  }

  #watch(consumer: Consumer): void {
    const { GROUP_JOIN, REQUEST } = consumer.events
    consumer.on(GROUP_JOIN, ({ payload }) => {
      this.#quiet.reset()
      const assigned = Object.entries(payload.memberAssignment)
      consumer.pause(assigned.map(([topic, partitions]) => ({ topic, partitions })))
      for (const span of this.#reading?.open.values() ?? []) this.#begin(span)
    })
    consumer.on(REQUEST, ({ payload }) => {
      this.#quiet.saw(payload)
      void this.#closeGaps()
    })
  }

  async #eachBatch({ batch, isStale }: EachBatchPayload): Promise<void> {
    const reading = this.#reading
    const span = reading?.open.get(keyOf(batch))
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

  #close(reading: Reading, span: TopicSpan): void {
    this.#pause(span)
    reading.open.delete(keyOf(span))
    if (reading.open.size === 0) reading.done.resolve()
  }

  /** What is at the end of a span may be nothing to read, which kafkajs does not show; see the view's barrier. */
  async #closeGaps(): Promise<void> {
    const reading = this.#reading
    if (reading === null || this.#looking || !this.#quiet.any) return
    this.#looking = true
    try {
      for (const span of [...reading.open.values()]) {
        const leader = await this.#ends.leaderOf(span.topic, span.partition)
        // A fetch that brought anything at all may have left out what did not fit into it.
        if (leader === null || !this.#quiet.twiceSince(leader, reading.movedAt)) continue
        if (reading.open.get(keyOf(span)) === span) this.#close(reading, span)
      }
    } catch (err) {
      this.#log.debug({ err }, 'span_reader.gap')
    } finally {
      this.#looking = false
    }
  }
}
