import { createRequire } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Broker,
  type Call,
  type Cluster,
  openCluster,
  type TopicMetadata,
} from '../../client/cluster.ts'
import type { Kafka } from '../../client/surface.ts'
import type { ProducerIdentity } from './partition-queue.ts'
import type { ScheduledBatch } from './send-schedule.ts'

type Protocol = Record<string, { versions: string[] }>
type ProduceResponse = { topics: { topicName: string; partitions: PartitionResponse[] }[] }
type PartitionResponse = { partition: number } & ProduceAnswer

/** The broker's answer for a batch of one partition. */
export type ProduceAnswer = {
  errorCode: number
  /** Offset of the first record. Missing, or -1, if the broker does not tell. */
  baseOffset?: string
  /** Timestamp of all records in epoch milliseconds. -1 if the records have their own. */
  logAppendTime?: string
}

const internal = createRequire(import.meta.url)
const apiKeys = internal('kafkajs/src/protocol/requests/apiKeys') as Record<string, number>
const { requests } = internal('kafkajs/src/protocol/requests') as { requests: Protocol }
const produceKey = apiKeys['Produce'] as number
const identityTries = 20
const identityEveryMs = 100
const metadataKey = apiKeys['Metadata'] as number

/**
 * Connections to all brokers for produce requests. kafkajs' own producer sends one batch for all
 * partitions and fails as a whole when one fails. This one returns an error code for each
 * partition. It reads metadata in the same way, so that a missing topic does not hide the others.
 */
export class ProduceConnection {
  readonly #cluster: Cluster
  #refreshing: Promise<void> | null = null
  /** When the last metadata was asked for that was answered, by `performance.now()`. */
  #askedAt = Number.NEGATIVE_INFINITY

  constructor(kafka: Kafka) {
    this.#cluster = openCluster(kafka)
    const { brokerPool } = this.#cluster
    const createBroker = brokerPool.createBroker
    brokerPool.createBroker = (options) => {
      const broker = createBroker(options)
      broker.metadata = (topics) => askForMetadata(broker, topics)
      return broker
    }
  }

  open(): Promise<void> {
    return this.#cluster.connect()
  }

  /** Retries for a while, because a starting broker assigns no producer ids yet. */
  async newIdentity(): Promise<ProducerIdentity> {
    for (let tries = 1; ; tries++) {
      try {
        const broker = await this.#cluster.brokerPool.findConnectedBroker()
        const given = await broker.initProducerId({ transactionTimeout: 60_000 })
        return { producerId: given.producerId, producerEpoch: given.producerEpoch }
      } catch (err) {
        if (tries === identityTries || !isRetriable(err)) throw err
        await sleep(identityEveryMs)
      }
    }
  }

  /**
   * Requests the partitions of the known topics and this one. Concurrent callers share the answer.
   */
  async learn(topic: string): Promise<void> {
    if (this.#cluster.targetTopics.has(topic)) return this.refresh()
    await this.#asking(this.#cluster.addMultipleTargetTopics([topic]))
  }

  refresh(): Promise<void> {
    this.#refreshing ??= this.#asking(this.#cluster.refreshMetadata()).finally(() => {
      this.#refreshing = null
    })
    return this.#refreshing
  }

  /** Milliseconds since the brokers were asked for what is known. */
  get knownForMs(): number {
    return performance.now() - this.#askedAt
  }

  /** @returns 0 while the topic is unknown or does not exist */
  partitionCount(topic: string): number {
    return this.#topic(topic)?.partitionMetadata.length ?? 0
  }

  /** Error code of the topic's metadata. 0 if there is none, or before the first request. */
  errorOf(topic: string): number {
    return this.#topic(topic)?.topicErrorCode ?? 0
  }

  /** Node of the leader, or -1 if there is none. */
  leaderOf(topic: string, partition: number): number {
    const found = this.#topic(topic)?.partitionMetadata.find((of) => of.partitionId === partition)
    return found?.leader ?? -1
  }

  /**
   * True if some other partition has most of its replicas in sync, so that it probably accepts
   * records.
   */
  hasHealthyPartition(except: (topic: string, partition: number) => boolean): boolean {
    const topics = this.#cluster.brokerPool.metadata?.topicMetadata ?? []
    return topics.some(({ topic, partitionMetadata }) =>
      partitionMetadata.some(
        ({ partitionId, leader, isr, replicas }) =>
          leader >= 0 && isr.length * 2 > replicas.length && !except(topic, partitionId),
      ),
    )
  }

  /**
   * Sends batches and resolves with the answer for each partition, by `topic/partition`. Rejects when
   * the outcome is unknown.
   * @param batches at least one, all of one producer
   * @param timeoutMs milliseconds that the broker waits for the replicas before it answers
   */
  async produce(
    node: number,
    batches: readonly ScheduledBatch[],
    timeoutMs: number,
  ): Promise<Map<string, ProduceAnswer>> {
    const topics = batches.map(({ queue }) => queue.topic)
    if (topics.some((topic) => !this.#cluster.targetTopics.has(topic))) {
      await this.#cluster.addMultipleTargetTopics(topics)
    }
    const broker = await this.#cluster.findBroker({ nodeId: String(node) })
    const produce = broker.lookupRequest(produceKey, requests['Produce'])
    const call = produce({
      ...batches[0]?.batch.identity,
      ...{ acks: -1, timeout: timeoutMs, compression: 0, topicData: topicDataOf(batches) },
    })
    const answer = (await sendUnchecked(broker, call)) as ProduceResponse
    return new Map(
      answer.topics.flatMap(({ topicName, partitions }) =>
        partitions.map((of) => [`${topicName}/${of.partition}`, of]),
      ),
    )
  }

  /** Id of the Kafka cluster. Undefined before the first metadata. */
  get clusterId(): string | undefined {
    return this.#cluster.brokerPool.metadata?.clusterId
  }

  close(): Promise<void> {
    return this.#cluster.disconnect()
  }

  async #asking(answer: Promise<void>): Promise<void> {
    const askedAt = performance.now()
    await answer
    this.#askedAt = Math.max(this.#askedAt, askedAt)
  }

  #topic(topic: string): TopicMetadata | undefined {
    return this.#cluster.brokerPool.metadata?.topicMetadata.find((of) => of.topic === topic)
  }
}

const isRetriable = (err: unknown) =>
  err instanceof Error && 'retriable' in err && err.retriable === true

const topicDataOf = (batches: readonly ScheduledBatch[]) =>
  [...Map.groupBy(batches, ({ queue }) => queue.topic)].map(([topic, ofTopic]) => ({
    topic,
    partitions: ofTopic.map(({ queue, batch }) => ({
      partition: queue.partition,
      firstSequence: queue.sequence,
      messages: batch.entries.map(({ message }) => message),
    })),
  }))

function askForMetadata(broker: Broker, topics: string[]): Promise<unknown> {
  const ask = broker.lookupRequest(metadataKey, requests['Metadata'])
  return sendUnchecked(broker, ask({ topics, allowAutoTopicCreation: false }))
}

/** Sends like kafkajs, but without its check that rejects if any code in the answer is an error. */
async function sendUnchecked(broker: Broker, { request, response }: Call): Promise<unknown> {
  const unchecked = { ...response, parse: async (answer: unknown) => answer }
  try {
    return await broker.connectionPool.send({ request, response: unchecked })
  } catch (err) {
    if (err instanceof Error && err.name === 'KafkaJSConnectionClosedError') {
      await broker.disconnect()
    }
    throw err
  }
}
