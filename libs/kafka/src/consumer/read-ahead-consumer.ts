import type { Metrics } from '@surehook/service-kit/telemetry/metrics'
import type { EachBatchPayload } from 'kafkajs'
import type { Logger } from 'pino'
import type { Kafka, KafkaMessage } from '../client/surface.ts'
import { meterLag, type Progress } from '../offsets/consumer-lag.ts'
import { partitionKey, type TopicPartition } from '../topics/partition-key.ts'
import { claimlessCoPartitionAssigner } from './co-partition-assigner.ts'
import { PartitionReader } from './partition-reader.ts'
import { SupervisedConsumer } from './supervised-consumer.ts'
import { whileBeating } from './while-beating.ts'

export type ReadBatch = {
  topic: string
  partition: number
  /** In the order of their offsets. Never empty. */
  messages: KafkaMessage[]
  /** Offset after the last message, where reading continues. */
  next: number
}

export type ReadAheadOptions = {
  kafka: Kafka
  groupId: string
  topics: readonly string[]
  /**
   * After the first record, a fetch waits until it has `bytes`, but at most `forMs` milliseconds.
   */
  gather: { bytes: number; forMs: number }
  /** Reading continues when it resolves. Work on the batch may still be open. */
  take: (batch: ReadBatch) => Promise<void>
  /**
   * Called when the group was joined again: uncommitted messages are read again, here or by another
   * member. Drop all open work, because its offsets must not be committed any more.
   */
  onJoin: () => void
  metrics?: Metrics | undefined
  log: Logger
}

export type Position = TopicPartition & { offset: number }

/**
 * Reads partitions in order and ahead of the commits, the same ones of every topic. The caller
 * reports finished work with `commit`.
 */
export class ReadAheadConsumer implements AsyncDisposable {
  readonly #consumer: SupervisedConsumer
  readonly #options: ReadAheadOptions
  readonly #steering = new PartitionReader(() => this.#consumer.current)
  /** Progress of the partitions that were read since the last join. */
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
      config: {
        minBytes: gather.bytes,
        maxWaitTimeInMs: gather.forMs,
        partitionAssigners: [claimlessCoPartitionAssigner()],
      },
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

  /** Rejects while there is no membership. `onJoin` then follows. */
  async commit(positions: readonly Position[]): Promise<void> {
    await this.#steering.commitOffsets(
      positions.map(({ topic, partition, offset }) => ({
        topic,
        partition,
        offset: String(offset),
      })),
    )
  }

  /**
   * Pauses a partition until `resume`, even across a new join. Batches that are already fetched may
   * still arrive.
   */
  pause({ topic, partition }: TopicPartition): void {
    this.#steering.pause([{ topic, partitions: [partition] }])
  }

  resume({ topic, partition }: TopicPartition): void {
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
    // After a new join the partition may no longer be assigned.
    if (this.#progress.has(partitionKey(batch)))
      this.#progress.set(partitionKey(batch), { ...progress, next })
    await heartbeat()
  }
}
