import { createRequire } from 'node:module'
import { beforeEach, describe, expect, it } from '@jest/globals'
import { planFetchesCheaply } from './fetch-planning.ts'

type Places = { topic: string; partitions: number[] }[]
type Metadata = { topicMetadata: { topic: string; partitionMetadata: object[] }[] }
type Group = {
  filterPartitionsByNode(nodeId: string, assigned: Places): Places
  generatePartitionsPerSubscribedTopic(): Map<string, number[]>
  checkForStaleAssignment(): void
}

const internal = createRequire(import.meta.url)
const ConsumerGroup = internal('kafkajs/src/consumer/consumerGroup') as { prototype: Group }
const Cluster = internal('kafkajs/src/cluster') as { prototype: object }
const SubscriptionState = internal('kafkajs/src/consumer/subscriptionState') as new () => {
  assign(to: Places): void
  pause(at: Places): void
  assigned(): Places
  active(): Places
}

const both: Places = [
  { topic: 'a', partitions: [10, 2] },
  { topic: 'b', partitions: [0] },
]

/** Metadata of the topic `t`, with a leader for each partition. */
const metadataOf = (...leaders: number[]): Metadata => ({
  topicMetadata: [
    {
      topic: 't',
      partitionMetadata: leaders.map((leader, partitionId) => ({ partitionId, leader })),
    },
  ],
})

/** The part of kafkajs' consumer that knows the cluster. */
function openGroup(metadata: Metadata, followers: object = {}) {
  const brokerPool = { metadata }
  const group = Object.assign(Object.create(ConsumerGroup.prototype), {
    cluster: Object.assign(Object.create(Cluster.prototype), { brokerPool }),
    preferredReadReplicasPerTopicPartition: { t: followers },
    topicsSubscribed: ['t'],
  }) as Group & { partitionsPerSubscribedTopic: Map<string, number[]> }
  group.partitionsPerSubscribedTopic = group.generatePartitionsPerSubscribedTopic()
  return { group, brokerPool }
}

beforeEach(() => planFetchesCheaply())

describe('a consumer that plans its fetches', () => {
  it('knows its partitions, and those that are not paused', () => {
    const state = new SubscriptionState()
    state.assign(both)
    state.pause([{ topic: 'a', partitions: [2] }])
    expect(state.assigned()).toEqual(both)
    expect(state.active()).toEqual([{ topic: 'a', partitions: [10] }, both[1]])
  })

  it('fetches each partition from its leader, and none without metadata', () => {
    const { group, brokerPool } = openGroup(metadataOf(1, 2, 1))
    const all = [{ topic: 't', partitions: [2, 1, 0, 3] }]
    const from = (nodeId: string) => group.filterPartitionsByNode(nodeId, all)[0]?.partitions
    expect([from('1'), from('2'), from('3')]).toEqual([[2, 0], [1], []])
    brokerPool.metadata = metadataOf(1, 3, 1)
    expect([from('1'), from('2'), from('3')]).toEqual([[2, 0], [], [1]])
  })

  it('leaves the choice of a follower to kafkajs', () => {
    const followers = { 0: { nodeId: 2, expireAt: Number.POSITIVE_INFINITY } }
    const { group } = openGroup(metadataOf(1, 1), followers)
    const [there] = group.filterPartitionsByNode('2', [{ topic: 't', partitions: [0, 1] }])
    expect(there?.partitions).toEqual([0])
  })

  it('notices a new partition as often as it is asked, until the group has joined again', () => {
    const { group, brokerPool } = openGroup(metadataOf(1))
    group.checkForStaleAssignment()
    brokerPool.metadata = metadataOf(1, 1)
    for (const _ of [1, 2]) expect(() => group.checkForStaleAssignment()).toThrow('updated')
    group.partitionsPerSubscribedTopic = group.generatePartitionsPerSubscribedTopic()
    expect(() => group.checkForStaleAssignment()).not.toThrow()
  })

  it('compares its topics only with new metadata', () => {
    const { group } = openGroup(metadataOf(1))
    group.checkForStaleAssignment()
    group.generatePartitionsPerSubscribedTopic = () => {
      throw new Error('compared again')
    }
    expect(() => group.checkForStaleAssignment()).not.toThrow()
  })
})
