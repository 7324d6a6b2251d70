import type { Admin } from '@surehook/kafka/client/surface'

/** The brokers with a copy of each partition. */
export type Placement = readonly (readonly number[])[]

/**
 * Makes a topic with its copies on the given brokers. A write needs two copies, where there are
 * two.
 */
export async function placeTopic(
  admin: Admin,
  { name, placement, config = {} }: TopicPlacement,
): Promise<void> {
  const entries = Object.entries({ 'min.insync.replicas': '2', ...config })
  // Kafka makes all partitions with the same number of copies. They are reassigned afterwards.
  const copies = Math.max(...placement.map(({ length }) => length))
  const all = [1, 2, 3]
  const created = placement.map((replicas, partition) => ({
    partition,
    replicas: [...new Set([...replicas, ...all])].slice(0, copies),
  }))
  await admin.createTopics({
    waitForLeaders: false,
    topics: [
      {
        topic: name,
        numPartitions: -1,
        replicationFactor: -1,
        replicaAssignment: created,
        configEntries: entries.map(([key, value]) => ({ name: key, value })),
      },
    ],
  })
  const partitionAssignment = placement.flatMap((replicas, partition) =>
    replicas.length < copies ? [{ partition, replicas: [...replicas] }] : [],
  )
  if (partitionAssignment.length === 0) return
  await admin.alterPartitionReassignments({ topics: [{ topic: name, partitionAssignment }] })
}

export type TopicPlacement = {
  name: string
  placement: Placement
  config?: Readonly<Record<string, string>>
}

/** Keeps consumer groups working as long as the first broker runs. */
export const groupsOnFirst: TopicPlacement = {
  name: '__consumer_offsets',
  placement: [[1], [1], [1], [1]],
  config: { 'cleanup.policy': 'compact' },
}
