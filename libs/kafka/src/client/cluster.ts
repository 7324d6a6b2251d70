import { requestEvents } from './answered-requests.ts'
import type { Kafka } from './surface.ts'

type TopicPartitions<Of> = { topic: string; partitions: Of[] }

/** The first offset, the next offset, or the first one at or after a time. -1 if there is none. */
export type WhichOffset = { fromBeginning: boolean } | { fromTimestamp: number }

/** A request in the form of kafkajs, with the decoder of its response. */
export type Call = {
  request: unknown
  response: { decode(bytes: Buffer): Promise<unknown>; parse(answer: unknown): Promise<unknown> }
}

/** The parts of a kafkajs broker that we use. */
export type Broker = {
  readonly brokerAddress: string
  readonly connectionPool: { send(call: Call): Promise<unknown> }
  /** Looks up the request in the newest version that both sides support. */
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
  readonly metadata: {
    readonly clusterId: string
    readonly topicMetadata: readonly TopicMetadata[]
  } | null
  createBroker(options: object): Broker
  findConnectedBroker(): Promise<Broker>
}

/** The parts of kafkajs' internal connection management that we use. */
export type Cluster = {
  readonly brokerPool: BrokerPool
  readonly targetTopics: ReadonlySet<string>
  connect(): Promise<void>
  disconnect(): Promise<void>
  addMultipleTargetTopics(topics: string[]): Promise<void>
  refreshMetadata(): Promise<void>
  refreshMetadataIfNecessary(): Promise<void>
  /** The leader is -1 if there is none. */
  findTopicPartitionMetadata(topic: string): { partitionId: number; leader: number }[]
  /** Partitions by the node that leads them. */
  findLeaderForPartitions(topic: string, partitions: number[]): Record<string, number[]>
  findBroker(of: { nodeId: string }): Promise<Broker>
  fetchTopicsOffset(
    topics: (TopicPartitions<{ partition: number }> & WhichOffset)[],
  ): Promise<TopicPartitions<{ partition: number; offset: string }>[]>
}

/**
 * A leader that moved refuses the request, which is then repeated. Without a maximum age kafkajs
 * would refresh metadata with every request.
 */
const metadataMaxAge = 5_000

/**
 * Creates a kafkajs cluster that is not connected yet. kafkajs' admin client requests the end and
 * then the start of one topic at a time. A barrier runs before every batch and every user request,
 * so it needs all ends in one request.
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
