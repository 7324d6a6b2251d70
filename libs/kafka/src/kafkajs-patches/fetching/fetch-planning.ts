import { createRequire } from 'node:module'

type TopicPartitions = { topic: string; partitions: number[] }
type SubscriptionState = {
  readonly assignedPartitionsByTopic: Readonly<Record<string, TopicPartitions>>
  isPaused(topic: string, partition: number): boolean
  assigned(): TopicPartitions[]
  active(): TopicPartitions[]
}
type PartitionMetadata = { partitionId: number; leader: number }
type ConsumerGroup = {
  readonly cluster: {
    readonly brokerPool: { readonly metadata: object | null }
    findTopicPartitionMetadata(topic: string): PartitionMetadata[]
  }
  readonly preferredReadReplicasPerTopicPartition: Readonly<Record<string, object | undefined>>
  findReadReplicaForPartitions(topic: string, partitions: number[]): Record<number, number[]>
  checkForStaleAssignment(): void
}

const internal = createRequire(import.meta.url)
const { prototype: state } = internal('kafkajs/src/consumer/subscriptionState') as {
  prototype: SubscriptionState
}
const { prototype: group } = internal('kafkajs/src/consumer/consumerGroup') as {
  prototype: ConsumerGroup
}
const { findReadReplicaForPartitions, checkForStaleAssignment } = group

function assigned(this: SubscriptionState): TopicPartitions[] {
  return Object.values(this.assignedPartitionsByTopic)
}

function active(this: SubscriptionState): TopicPartitions[] {
  return assigned.call(this).map(({ topic, partitions }) => ({
    topic,
    partitions: partitions.filter((partition) => !this.isPaused(topic, partition)),
  }))
}

/** Leaders by partition, as long as the metadata of the topic stay the same. */
const leaders = new WeakMap<readonly PartitionMetadata[], Map<number, PartitionMetadata>>()

function leadersOf(metadata: readonly PartitionMetadata[]): Map<number, PartitionMetadata> {
  const known = leaders.get(metadata) ?? new Map(metadata.map((one) => [one.partitionId, one]))
  leaders.set(metadata, known)
  return known
}

function partitionsByLeader(
  this: ConsumerGroup,
  topic: string,
  partitions: number[],
): Record<number, number[]> {
  const followers = this.preferredReadReplicasPerTopicPartition[topic] ?? {}
  if (Object.keys(followers).length > 0) {
    return findReadReplicaForPartitions.call(this, topic, partitions)
  }
  const byLeader: Record<number, number[]> = {}
  const known = leadersOf(this.cluster.findTopicPartitionMetadata(topic))
  for (const partition of partitions) {
    const leader = known.get(partition)?.leader
    if (leader !== undefined) (byLeader[leader] ??= []).push(partition)
  }
  return byLeader
}

/** The last metadata in which a group found all its topics as it knows them. */
const checked = new WeakMap<ConsumerGroup, object | null>()

function checkNewMetadata(this: ConsumerGroup): void {
  const { metadata } = this.cluster.brokerPool
  if (checked.get(this) === metadata) return
  checkForStaleAssignment.call(this)
  checked.set(this, metadata)
}

/**
 * Call it before a process consumes. kafkajs 2.2.4 plans each fetch anew: it sorts all partitions
 * several times, looks up each one's leader in a list, and compares all topics with the metadata.
 * That is half of what a calm consumer allocates.
 */
export function planFetchesCheaply(): void {
  state.assigned = assigned
  state.active = active
  group.findReadReplicaForPartitions = partitionsByLeader
  group.checkForStaleAssignment = checkNewMetadata
}
