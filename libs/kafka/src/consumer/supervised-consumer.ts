import { setTimeout as sleep } from 'node:timers/promises'
import { isCompacted } from '@surehook/contracts/topics'
import { backoffMs } from '@surehook/service-kit/backoff'
import { boundedBy } from '@surehook/service-kit/bounded'
import type { Consumer, ConsumerConfig, EachBatchPayload } from 'kafkajs'
import type { Logger } from 'pino'
import { kafkaUntil } from '../client/client.ts'
import type { Kafka } from '../client/surface.ts'
import { type EmptyFetch, watchEmptyFetches } from '../kafkajs-patches/fetching/empty-fetches.ts'

export type SupervisedConsumerOptions = {
  kafka: Kafka
  /**
   * A function that returns a new group for every attempt avoids the wait for a member that died.
   */
  groupId: string | (() => string)
  topics: readonly string[]
  fromBeginning: boolean
  concurrency: number
  /** Overrides of the default timings and assigner. */
  config?: Partial<Omit<ConsumerConfig, 'groupId' | 'retry'>>
  /** True if reading continues after a handled batch even if the handler resolved no offsets. */
  autoResolve?: boolean
  /** Its offsets are not committed automatically. */
  eachBatch: (payload: EachBatchPayload) => Promise<void>
  /**
   * Called when a fetch shows that a partition has nothing more to read. kafkajs does not expose
   * this.
   */
  onEmptyFetch?: (empty: EmptyFetch) => void
  /** Called with every new consumer before it connects, to register event listeners. */
  onConsumer?: (consumer: Consumer) => void
  log: Logger
}

/**
 * Milliseconds that a fetch waits for data, which bounds the duration of a stop. It never delays
 * data.
 */
export const fetchWaitMs = 250

/** Milliseconds after which a consumer looks for new partitions of its topics. */
const metadataMaxAge = 10_000

const silentMs = 10_000
const backoff = { firstMs: 200, longestMs: 2_000 }

const groupConfig = {
  // A killed member is replaced within 10 s. A live one has sent 4 heartbeats by then.
  sessionTimeout: 10_000,
  heartbeatInterval: 1_500,
  rebalanceTimeout: 30_000,
  maxWaitTimeInMs: fetchWaitMs,
  maxBytesPerPartition: 1_048_576,
  allowAutoTopicCreation: false,
  metadataMaxAge,
  retry: {
    initialRetryTime: 100,
    maxRetryTime: 1_000,
    // Retries as the same member: the group would make a new member wait for the old one's session.
    retries: 1_000,
    // kafkajs restarts only after some errors. Here a crashed consumer is always replaced.
    restartOnFailure: () => Promise.resolve(false),
  },
} satisfies Omit<ConsumerConfig, 'groupId'>

/** A consumer that rejoins its group after any failure, until it is disposed. */
export class SupervisedConsumer implements AsyncDisposable {
  readonly ready: Promise<void>
  readonly #options: SupervisedConsumerOptions
  readonly #stop = new AbortController()
  readonly #joined = Promise.withResolvers<void>()
  readonly #ended: Promise<void>
  #consumer: Consumer | null = null
  #member = false
  #answeredAt = 0
  #groupId = ''

  constructor(options: SupervisedConsumerOptions) {
    this.#options = options
    this.ready = this.#joined.promise
    this.ready.catch(() => undefined)
    this.#ended = this.#superviseForEver()
  }

  /** True while this process is a member of the group and the brokers answer. */
  get healthy(): boolean {
    return this.#member && performance.now() - this.#answeredAt < silentMs
  }

  /** The current consumer. If a call fails because it is not running, repeat it on the next one. */
  get current(): Consumer | null {
    return this.#consumer
  }

  get stopping(): AbortSignal {
    return this.#stop.signal
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new DOMException('The consumer was closed', 'AbortError'))
    this.#joined.reject(this.#stop.signal.reason)
    await this.#ended
  }

  async #superviseForEver(): Promise<void> {
    const { log } = this.#options
    for (let failures = 0; !this.#stop.signal.aborted; ) {
      const startedAt = performance.now()
      try {
        await this.#runOnce()
      } catch (err) {
        failures = performance.now() - startedAt > 60_000 ? 1 : failures + 1
        log.warn({ err, groupId: this.#groupId, failures }, 'consumer.restarting')
      }
      this.#member = false
      await this.#close()
      if (!this.#stop.signal.aborted) await this.#wait(failures)
    }
  }

  /** Rejects when the consumer crashes. Resolves when it must stop. */
  async #runOnce(): Promise<void> {
    const { kafka, topics, fromBeginning, concurrency, eachBatch } = this.#options
    const { config, autoResolve = false } = this.#options
    this.#groupId = this.#nextGroupId()
    using _watching = watchEmptyFetches(this.#groupId, (empty) => {
      if (isAtEnd(empty)) this.#options.onEmptyFetch?.(empty)
    })
    const patient = kafkaUntil(this.#stop.signal, kafka)
    const consumer = patient.consumer({ ...groupConfig, ...config, groupId: this.#groupId })
    this.#consumer = consumer
    const ended = Promise.withResolvers<void>()
    ended.promise.catch(() => undefined)
    const onStop = () => ended.resolve()
    this.#stop.signal.addEventListener('abort', onStop, { once: true })
    try {
      this.#watch(consumer, ended.reject)
      await consumer.connect()
      await consumer.subscribe({ topics: [...topics], fromBeginning })
      await consumer.run({
        autoCommit: false,
        eachBatchAutoResolve: autoResolve,
        partitionsConsumedConcurrently: concurrency,
        eachBatch,
      })
      await ended.promise
    } finally {
      this.#stop.signal.removeEventListener('abort', onStop)
    }
  }

  #nextGroupId(): string {
    const { groupId } = this.#options
    return typeof groupId === 'string' ? groupId : groupId()
  }

  #watch(consumer: Consumer, crashed: (err: Error) => void): void {
    const { GROUP_JOIN, CRASH, REQUEST } = consumer.events
    this.#options.onConsumer?.(consumer)
    consumer.on(GROUP_JOIN, () => {
      this.#member = true
      this.#joined.resolve()
    })
    consumer.on(REQUEST, () => {
      this.#answeredAt = performance.now()
    })
    consumer.on(CRASH, ({ payload }) => crashed(payload.error))
  }

  async #close(): Promise<void> {
    const consumer = this.#consumer
    if (consumer === null) return
    this.#consumer = null
    // Waits for the running batch. An unreachable broker must not delay the stop for longer.
    const closed = boundedBy(8_000, consumer.disconnect(), 'The consumer did not close')
    await closed.catch((err) => this.#options.log.warn({ err }, 'consumer.close'))
  }

  async #wait(failures: number): Promise<void> {
    const ms = backoffMs(failures, backoff)
    await sleep(ms, undefined, { signal: this.#stop.signal }).catch(() => undefined)
  }
}

/**
 * Only compaction removes what is before the end of a log. Elsewhere a broker also answers without
 * records when its object store is slow (KIP-405).
 */
const isAtEnd = ({ topic, from, to }: EmptyFetch): boolean => from >= to || isCompacted(topic)
