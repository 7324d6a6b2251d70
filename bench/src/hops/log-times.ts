import { stopIdleTimers } from '@surehook/kafka/kafkajs-patches/connections/idle-timer'
import { type Admin, type Consumer, Kafka, type KafkaMessage, logLevel } from 'kafkajs'

/** The end offsets of each topic's partitions. */
export type LogEnds = ReadonlyMap<string, readonly number[]>

/** A record with the time at which the broker stored it. */
export type Logged = {
  /** When the broker stored it. */
  at: number
  value: string
}

export function openKafka(brokers: string): Kafka {
  stopIdleTimers()
  return new Kafka({
    brokers: brokers.split(','),
    clientId: 'bench-hops',
    logLevel: logLevel.NOTHING,
  })
}

export async function endsOf(admin: Admin, topics: readonly string[]): Promise<LogEnds> {
  const ends = new Map<string, number[]>()
  for (const topic of topics) {
    const partitions = await admin.fetchTopicOffsets(topic)
    const byPartition: number[] = []
    for (const { partition, high } of partitions) byPartition[partition] = Number(high)
    ends.set(topic, byPartition)
  }
  return ends
}

/** Reads the records that arrived on the topics between two readings of their ends. */
export async function readBetween(
  kafka: Kafka,
  { from, to }: { from: LogEnds; to: LogEnds },
  take: (topic: string, logged: Logged) => void,
): Promise<void> {
  const groupId = `bench-hops-${process.pid}-${Date.now()}`
  const consumer = kafka.consumer({ groupId })
  const open = new Set<string>()
  for (const [topic, ends] of to) {
    for (const [partition, end] of ends.entries()) {
      if (end > (from.get(topic)?.[partition] ?? 0)) open.add(`${topic}/${partition}`)
    }
  }
  const done = Promise.withResolvers<void>()
  if (open.size === 0) return
  await consumer.connect()
  await consumer.subscribe({ topics: [...to.keys()], fromBeginning: true })
  seekAtJoin(consumer, from)
  await consumer.run({
    autoCommit: false,
    async eachBatch({ batch: { topic, partition, messages } }) {
      const end = to.get(topic)?.[partition] ?? 0
      const start = from.get(topic)?.[partition] ?? 0
      for (const message of messages) {
        const offset = Number(message.offset)
        if (offset >= start && offset < end) take(topic, loggedOf(message))
        if (offset >= end - 1) open.delete(`${topic}/${partition}`)
      }
      if (open.size === 0) done.resolve()
    },
  })
  await done.promise
  await consumer.disconnect()
}

function seekAtJoin(consumer: Consumer, from: LogEnds): void {
  consumer.on(consumer.events.GROUP_JOIN, () => {
    for (const [topic, starts] of from) {
      for (const [partition, offset] of starts.entries()) {
        consumer.seek({ topic, partition, offset: String(offset) })
      }
    }
  })
}

const loggedOf = ({ timestamp, value }: KafkaMessage): Logged => ({
  at: Number(timestamp),
  value: value?.toString('latin1') ?? '',
})
