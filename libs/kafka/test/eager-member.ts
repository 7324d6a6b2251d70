import { AssignerProtocol, type Consumer, type Kafka as KafkaJs } from 'kafkajs'
import type { Kafka } from '../src/client/surface.ts'

const name = 'surehook-co-partition'

/**
 * A member of the previous version: it drains before each join, and assigns all partitions at once.
 */
export async function joinEagerly(
  kafka: Kafka,
  of: { groupId: string; topic: string; onJoin: (partitions: readonly number[]) => void },
): Promise<Consumer> {
  let owned: readonly number[] = []
  const consumer = (kafka as KafkaJs).consumer({
    groupId: of.groupId,
    sessionTimeout: 10_000,
    heartbeatInterval: 500,
    maxWaitTimeInMs: 100,
    partitionAssigners: [
      ({ cluster }) => ({
        name,
        version: 1,
        async assign({ members, topics }) {
          const count = cluster.findTopicPartitionMetadata(of.topic).length
          return members.map(({ memberId }, index) => {
            const mine = Array.from({ length: count }, (_, p) => p)
            const partitions = mine.filter((p) => p % members.length === index)
            const assignment = Object.fromEntries(topics.map((topic) => [topic, partitions]))
            const userData = Buffer.alloc(0)
            const assigned = { version: 1, assignment, userData }
            return {
              memberId,
              memberAssignment: AssignerProtocol.MemberAssignment.encode(assigned),
            }
          })
        },
        protocol: ({ topics }) => {
          const userData = Buffer.from(JSON.stringify(owned))
          const metadata = { version: 1, topics, userData }
          return { name, metadata: AssignerProtocol.MemberMetadata.encode(metadata) }
        },
      }),
    ],
  })
  consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
    owned = payload.memberAssignment[of.topic] ?? []
    of.onJoin(owned)
  })
  await consumer.connect()
  await consumer.subscribe({ topics: [of.topic], fromBeginning: true })
  await consumer.run({ autoCommit: false, eachMessage: async () => {} })
  return consumer
}
