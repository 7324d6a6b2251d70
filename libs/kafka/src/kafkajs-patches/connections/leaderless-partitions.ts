import { createRequire } from 'node:module'
import { replaceMethods } from '../replace-methods.ts'

type PartitionMetadata = { partitionErrorCode: number; leader: number }
type Metadata = { topicMetadata: { partitionMetadata: PartitionMetadata[] }[] }
type Call = { response: { parse(metadata: Metadata): Promise<Metadata> } }
type Definition = { protocol(of: { version: number }): (fields: object) => Call }
type BrokerPool = {
  metadata: Metadata | null
  metadataExpireAt: number | null
  refreshMetadata(topics: string[]): Promise<unknown>
}

type TopicPartitions = { topic: string; partitions: { partition: number }[] }
type Cluster = {
  findTopicPartitionMetadata(topic: string): { partitionId: number; leader: number }[]
  fetchTopicsOffset(topics: TopicPartitions[]): Promise<TopicPartitions[]>
}
type OffsetManager = { cluster: Cluster; resolveOffsets(): Promise<void> }

const internal = createRequire(import.meta.url)
const definition = internal('kafkajs/src/protocol/requests/metadata') as Definition
const { prototype: brokerPool } = internal('kafkajs/src/cluster/brokerPool') as {
  prototype: BrokerPool
}
const { prototype: offsetManager } = internal('kafkajs/src/consumer/offsetManager') as {
  prototype: OffsetManager
}
/** The methods as earlier patches have left them. */
const before = {
  definition: {} as Definition,
  brokerPool: {} as Pick<BrokerPool, 'refreshMetadata'>,
  offsetManager: {} as Pick<OffsetManager, 'resolveOffsets'>,
}

const leaderNotAvailable = 5
/**
 * Milliseconds between metadata requests while a partition has no leader. Otherwise kafkajs waits
 * until metadata are minutes old.
 */
const askAgainMs = 1_000

const partitionsOf = ({ topicMetadata }: Metadata): PartitionMetadata[] =>
  topicMetadata.flatMap(({ partitionMetadata }) => partitionMetadata)

function withoutMissingLeaders(metadata: Metadata): Metadata {
  for (const partition of partitionsOf(metadata)) {
    if (partition.partitionErrorCode !== leaderNotAvailable) continue
    partition.partitionErrorCode = 0
    partition.leader = -1
  }
  return metadata
}

const protocolWithoutLeaders: Definition['protocol'] = (of) => {
  const create = before.definition.protocol(of)
  return (fields) => {
    const call = create(fields)
    const { response } = call
    const parse = async (metadata: Metadata) => response.parse(withoutMissingLeaders(metadata))
    return { ...call, response: { ...response, parse } }
  }
}

async function refreshSoonAgain(this: BrokerPool, topics: string[]): Promise<unknown> {
  const refreshed = await before.brokerPool.refreshMetadata.call(this, topics)
  const isOneMissing = this.metadata !== null && partitionsOf(this.metadata).some(isLeaderless)
  if (isOneMissing) this.metadataExpireAt = Date.now() + askAgainMs
  return refreshed
}

const isLeaderless = ({ leader }: PartitionMetadata) => leader < 0

/** Asks for the offsets of partitions that have a leader. The others stay unknown. */
async function offsetsOfLed(cluster: Cluster, asked: TopicPartitions[]) {
  const led = asked.map(({ topic, partitions, ...which }) => {
    const leaders = cluster.findTopicPartitionMetadata(topic)
    const isLed = ({ partition }: { partition: number }) =>
      leaders.some(({ partitionId, leader }) => partitionId === partition && leader >= 0)
    return { ...which, topic, partitions: partitions.filter(isLed) }
  })
  const some = led.filter(({ partitions }) => partitions.length > 0)
  const answered = some.length > 0 ? await cluster.fetchTopicsOffset(some) : []
  // kafkajs looks every topic up in the answer.
  return [...led.map(({ topic }) => ({ topic, partitions: [] })), ...answered]
}

/** Runs before every fetch, for partitions that the group has not committed. */
function resolveLedOffsets(this: OffsetManager): Promise<void> {
  const { cluster } = this
  const fetchTopicsOffset = (asked: TopicPartitions[]) => offsetsOfLed(cluster, asked)
  const led = Object.assign(Object.create(cluster), { fetchTopicsOffset })
  return before.offsetManager.resolveOffsets.call(
    Object.assign(Object.create(this), { cluster: led }),
  )
}

/**
 * Call it before a process connects. kafkajs 2.2.4 treats the metadata of all topics as failed when
 * one partition has no leader, and retries without end. A consumer then reads none of its
 * partitions. With this patch such a partition has the leader -1, as in Kafka's own clients, and
 * the others continue.
 */
export function goOnWithoutLeaders(): void {
  replaceMethods(definition, before.definition, { protocol: protocolWithoutLeaders })
  replaceMethods(brokerPool, before.brokerPool, { refreshMetadata: refreshSoonAgain })
  replaceMethods(offsetManager, before.offsetManager, { resolveOffsets: resolveLedOffsets })
}
