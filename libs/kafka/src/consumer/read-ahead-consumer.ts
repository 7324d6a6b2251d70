import type { Metrics } from '@surehook/service-kit/telemetry/metrics'
import type { EachBatchPayload, Kafka, KafkaMessage } from 'kafkajs'
import type { Logger } from 'pino'
import { meterLag, type Progress } from '../offsets/consumer-lag.ts'
import { type Place, partitionKey } from '../topics/partition-key.ts'
import { PartitionReader } from './partition-reader.ts'
import { SupervisedConsumer } from './supervised-consumer.ts'
import { whileBeating } from './while-beating.ts'

export type ReadBatch = {
  topic: string
  partition: number
  /** In the order of their offsets; never empty. */
  messages: KafkaMessage[]
  /** Behind the last message: where reading goes on. */
  next: number
}

export type ReadAheadOptions = {
  kafka: Kafka
  groupId: string
  topics: readonly string[]
  /** A fetch waits for so many bytes, so long at most. */
  gather: { bytes: number; forMs: number }
  /** Reading goes on when it resolves: what the batch stands for may still be open. */
  take: (batch: ReadBatch) => Promise<void>
  /**
   * The group was joined anew: whatever is not committed comes again, here or elsewhere. What is open
   * must be forgotten, for it is committed by nobody.
   */
  onJoin: () => void
  metrics?: Metrics | undefined
  log: Logger
}

export type Position = Place & { offset: number }

/** Reads partitions in order and ahead of what is committed; what is done its user says with `commit`. */
export class ReadAheadConsumer implements AsyncDisposable {
  readonly #consumer: SupervisedConsumer
  readonly #options: ReadAheadOptions
  readonly #steering = new PartitionReader(() => this.#consumer.current)
  /** Of the partitions that something was read of since the group was joined. */
  readonly #progress = new Map<string, Progress>()
  readonly #lag: AsyncDisposable | null

  constructor(options: ReadAheadOptions) {
    const { kafka, groupId, topics, gather, log, onJoin, metrics } = options
    this.#options = options
    const progress = () => this.#progress.values()
    this.#lag = metrics === undefined ? null : meterLag(metrics, { ...options, progress })
    const joined = () => {
      this.#progress.clear()
      onJoin()
    }
    this.#consumer = new SupervisedConsumer({
      kafka,
      groupId,
      topics,
      fromBeginning: true,
      concurrency: 1,
      autoResolve: true,
      config: { minBytes: gather.bytes, maxWaitTimeInMs: gather.forMs },
      onConsumer: (consumer) => void consumer.on(consumer.events.GROUP_JOIN, joined),
      eachBatch: (payload) => this.#eachBatch(payload),
      log,
    })
  }

  /** Resolves when the group is joined for the first time. */
  get ready(): Promise<void> {
    return this.#consumer.ready
  }

  get healthy(): boolean {
    return this.#consumer.healthy
  }

  /** Rejects while there is no membership; then `onJoin` follows. */
  async commit(positions: readonly Position[]): Promise<void> {
    await this.#steering.commitOffsets(
      positions.map(({ topic, partition, offset }) => ({
        topic,
        partition,
        offset: String(offset),
      })),
    )
  }

  /** What is on its way may still come. It lasts until `resume`, also when the group is joined anew. */
  pause({ topic, partition }: Place): void {
    this.#steering.pause([{ topic, partitions: [partition] }])
  }

  resume({ topic, partition }: Place): void {
    this.#steering.resume([{ topic, partitions: [partition] }])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#consumer[Symbol.asyncDispose]()
    await this.#lag?.[Symbol.asyncDispose]()
  }

  async #eachBatch({ batch, heartbeat, isStale }: EachBatchPayload): Promise<void> {
    if (isStale() || this.#consumer.stopping.aborted) return
    const { topic, partition, messages, highWatermark } = batch
    const next = Number(batch.lastOffset()) + 1
    const progress = { topic, partition, end: Number(highWatermark) }
    this.#progress.set(partitionKey(batch), { ...progress, next: Number(batch.firstOffset()) })
    await whileBeating(this.#options.take({ topic, partition, messages, next }), heartbeat)
    // Joined anew meanwhile it may not have the partition any more.
    if (this.#progress.has(partitionKey(batch)))
      this.#progress.set(partitionKey(batch), { ...progress, next })
    await heartbeat()
  }
}
