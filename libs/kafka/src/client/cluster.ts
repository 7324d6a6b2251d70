import type { Kafka } from 'kafkajs'
import { requestEvents } from './request-count.ts'

type TopicPartitions<Of> = { topic: string; partitions: Of[] }

/** The first, the next, or the first of that time or later: -1 when there is none. */
export type WhichOffset = { fromBeginning: boolean } | { fromTimestamp: number }

/** A request as kafkajs writes it, and how it reads the answer. */
export type Call = {
  request: unknown
  response: { decode(bytes: Buffer): Promise<unknown>; parse(answer: unknown): Promise<unknown> }
}

/** What we use of a broker of kafkajs. */
export type Broker = {
  readonly brokerAddress: string
  readonly connectionPool: { send(call: Call): Promise<unknown> }
  /** In the newest version that both sides know. */
  lookupRequest(apiKey: number, definition: unknown): (fields: object) => Call
  metadata(topics: string[]): Promise<unknown>
  apiVersions(): Promise<unknown>
  initProducerId(of: {
    transactionTimeout: number
  }): Promise<{ producerId: string; producerEpoch: number }>
  disconnect(): Promise<void>
}

type PartitionMetadata = {
  partitionId: number
  leader: number
  isr: number[]
  replicas: number[]
}
export type TopicMetadata = {
  topicErrorCode: number
  topic: string
  partitionMetadata: PartitionMetadata[]
}

type BrokerPool = {
  readonly metadata: { readonly topicMetadata: readonly TopicMetadata[] } | null
  createBroker(options: object): Broker
  findConnectedBroker(): Promise<Broker>
}

/** What we use of the connections that kafkajs shares inside. */
export type Cluster = {
  readonly brokerPool: BrokerPool
  readonly targetTopics: ReadonlySet<string>
  connect(): Promise<void>
  disconnect(): Promise<void>
  addMultipleTargetTopics(topics: string[]): Promise<void>
  refreshMetadata(): Promise<void>
  refreshMetadataIfNecessary(): Promise<void>
  findTopicPartitionMetadata(topic: string): { partitionId: number }[]
  /** Partitions by the node that leads them. */
  findLeaderForPartitions(topic: string, partitions: number[]): Record<string, number[]>
  findBroker(of: { nodeId: string }): Promise<Broker>
  fetchTopicsOffset(
    topics: (TopicPartitions<{ partition: number }> & WhichOffset)[],
  ): Promise<TopicPartitions<{ partition: number; offset: string }>[]>
}

/** A leader that moved refuses, and the question is asked anew; without an age kafkajs asks who leads with each question. */
const metadataMaxAge = 5_000

/**
 * A cluster of kafkajs, not connected yet. Its admin client asks for the end and then for the start of one topic at
 * a time; a barrier, which stands before every batch and every request of a user, needs one answer for all ends.
 */
export function openCluster(kafka: Kafka): Cluster {
  const internals = kafka as unknown as Record<symbol, (options: object) => Cluster>
  const createCluster = Object.getOwnPropertySymbols(kafka).find(
    ({ description }) => description === 'private:Kafka:createCluster',
  )
  const options = {
    ...{ metadataMaxAge, allowAutoTopicCreation: false },
    instrumentationEmitter: requestEvents(kafka),
  }
  const cluster = createCluster && internals[createCluster]?.(options)
  if (cluster === undefined) throw new Error('Not the kafkajs that this was written for (2.2.4)')
  return cluster
}
