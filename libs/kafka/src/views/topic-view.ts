import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { walPositionOf } from '@surehook/contracts/wal-position'
import {
  type AnyEvent,
  type EventCodec,
  type TypeCodec,
  UndecodableError,
} from '@surehook/schemas/codec'
import { boundedBy, orAborted } from '@surehook/service-kit/bounded'
import type { Consumer, EachBatchPayload } from 'kafkajs'
import type { Logger } from 'pino'
import type { Kafka, KafkaMessage } from '../client/surface.ts'
import { SupervisedConsumer } from '../consumer/supervised-consumer.ts'
import { LatestPositions } from '../offsets/latest-positions.ts'
import { LogEnds } from '../offsets/log-ends.ts'
import { ViewBarrier } from './view-barrier.ts'

export type InvalidViewMessage = {
  topic: string
  partition: number
  message: KafkaMessage
  reason: string
}

export type ViewRecord = {
  offset: number
  /** WAL position of the record's commit, or `null` when no relay sent the record. */
  walPosition: string | null
}

export type TopicViewOptions<Value extends AnyEvent> = {
  kafka: Kafka
  codec: Pick<EventCodec, 'ofTopic'> | { ofTopic(topic: string): TypeCodec<Value> }
  topics: readonly string[]
  /**
   * End offsets of these and other topics, for views that share requests. The creator closes it.
   */
  ends?: LogEnds | undefined
  /** Prefix of the view's group id, which is new for every process. */
  clientId: string
  /**
   * Called once per record, in the order of the log. `null` is a tombstone. States that a relay
   * repeats after a newer one are skipped. It may throw only an `UndecodableError`, for a value
   * that is not valid.
   */
  apply: (topic: string, key: string, value: Value | null, record: ViewRecord) => void
  /** Called with a value that cannot be decoded or is not valid. The view continues without it. */
  onInvalid?: (invalid: InvalidViewMessage) => Promise<void>
  log: Logger
}

export type TopicView = AsyncDisposable & {
  /** Resolves when all records that were on the topics at the start are applied. */
  readonly ready: Promise<void>
  /**
   * Resolves when all records acknowledged before the call are applied. Rejects with
   * SERVICE_UNAVAILABLE after 5 s, and with the signal's reason.
   */
  barrier(signal?: AbortSignal): Promise<void>
  readonly healthy: boolean
}

const barrierWithinMs = 5_000
const retryMs = 500
/**
 * Long intervals: a new state ends the wait of a fetch at once, and a group with one member has
 * nobody who could take over.
 */
const unhurried = { maxWaitTimeInMs: 4_000, heartbeatInterval: 5_000, sessionTimeout: 30_000 }

/**
 * State of compacted topics that `apply` maintains. Every process reads the topics from the start.
 */
export async function openTopicView<Value extends AnyEvent>(
  options: TopicViewOptions<Value>,
): Promise<TopicView> {
  return new KafkaTopicView(options)
}

class KafkaTopicView<Value extends AnyEvent> implements TopicView {
  readonly ready: Promise<void>
  readonly #options: TopicViewOptions<Value>
  readonly #ends: LogEnds
  readonly #barrier: ViewBarrier
  readonly #consumer: SupervisedConsumer
  readonly #positions = new LatestPositions()
  #loaded = false

  constructor(options: TopicViewOptions<Value>) {
    const { kafka, topics, clientId, log, ends = new LogEnds(kafka, topics, log) } = options
    this.#options = options
    this.#ends = ends
    this.#barrier = new ViewBarrier(ends, { topics, withinMs: barrierWithinMs, log })
    this.#consumer = new SupervisedConsumer({
      kafka,
      groupId: () => `${clientId}.view.${randomUUID()}`,
      topics,
      fromBeginning: true,
      concurrency: 1,
      config: unhurried,
      onConsumer: (consumer) => this.#watch(consumer),
      onEmptyFetch: (empty) => this.#barrier.empty(empty),
      eachBatch: (payload) => this.#eachBatch(payload),
      log,
    })
    this.ready = this.#load()
    this.ready.catch(() => undefined)
  }

  get healthy(): boolean {
    return this.#loaded && this.#consumer.healthy
  }

  async barrier(signal?: AbortSignal): Promise<void> {
    const reached = boundedBy(barrierWithinMs, this.#barrier.reached(), 'The view is behind')
    await (signal === undefined ? reached : orAborted(reached, signal))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#consumer[Symbol.asyncDispose]()
    this.#barrier.close(new DOMException('The view was closed', 'AbortError'))
    if (this.#options.ends === undefined) await this.#ends[Symbol.asyncDispose]()
  }

  async #load(): Promise<void> {
    const { stopping } = this.#consumer
    for (;;) {
      stopping.throwIfAborted()
      try {
        await orAborted(this.#barrier.reached(), stopping)
        this.#loaded = true
        return
      } catch (err) {
        stopping.throwIfAborted()
        this.#options.log.warn({ err, topics: this.#options.topics }, 'view.loading')
        await sleep(retryMs)
      }
    }
  }

  #watch(consumer: Consumer): void {
    consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
      for (const [topic, partitions] of Object.entries(payload.memberAssignment)) {
        for (const partition of partitions) {
          // Nothing is committed, so without a seek the whole topic would be read again.
          const next = this.#barrier.next(topic, partition)
          if (next > 0) consumer.seek({ topic, partition, offset: String(next) })
        }
      }
    })
  }

  async #eachBatch({ batch, resolveOffset, heartbeat }: EachBatchPayload): Promise<void> {
    const { topic, partition, messages } = batch
    for (const message of messages) {
      if (this.#consumer.stopping.aborted) return
      const offset = Number(message.offset)
      // A rebalance repeats records. An old state must never replace a newer one.
      if (offset < this.#barrier.next(topic, partition)) continue
      if (!this.#isOutdated(topic, message)) {
        const value = this.#decode(topic, message)
        await this.#applyOne({ topic, partition, message }, value, heartbeat)
      }
      this.#barrier.advance(topic, partition, offset + 1)
    }
    const last = batch.lastOffset()
    this.#barrier.advance(topic, partition, Number(last) + 1)
    resolveOffset(last)
  }

  #isOutdated(topic: string, { key, headers }: KafkaMessage): boolean {
    return this.#positions.isOutdated(`${topic}/${String(key)}`, walPositionOf(headers))
  }

  async #applyOne(
    where: { topic: string; partition: number; message: KafkaMessage },
    decoding: Promise<Value | null>,
    heartbeat: () => Promise<void>,
  ): Promise<void> {
    const { log, apply, onInvalid } = this.#options
    for (let value = decoding; ; value = this.#decode(where.topic, where.message)) {
      try {
        const { key, headers, offset } = where.message
        const record = { offset: Number(offset), walPosition: walPositionOf(headers) }
        apply(where.topic, String(key ?? ''), await value, record)
        return
      } catch (err) {
        const { topic, partition, message } = where
        const at = { topic, partition, offset: message.offset }
        if (err instanceof UndecodableError) {
          log.error({ err, ...at }, 'view.undecodable')
          await onInvalid?.({ ...where, reason: err.message })
          return
        }
        // The registry is unreachable, or the caller refused the state. Skipping it would leave a
        // silent gap.
        log.warn({ err, ...at }, 'view.retrying')
        await sleep(retryMs, undefined, { signal: this.#consumer.stopping })
        await heartbeat()
      }
    }
  }

  async #decode(topic: string, { value }: KafkaMessage): Promise<Value | null> {
    if (value === null) return null
    return (await this.#options.codec.ofTopic(topic).decode(value)) as Value
  }
}
