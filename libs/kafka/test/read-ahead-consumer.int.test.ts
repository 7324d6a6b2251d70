import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { createMetrics } from '@surehook/service-kit/telemetry/metrics'
import { silent } from '@surehook/testing/database'
import { makeTopic, testKafka } from '@surehook/testing/kafka'
import { until } from '@surehook/testing/until'
import { ReadAheadConsumer } from '../src/consumer/read-ahead-consumer.ts'
import { type EventProducer, openProducer } from '../src/producer/producer.ts'

const kafka = testKafka()
let producer: EventProducer

beforeAll(async () => {
  producer = await openProducer(kafka, { log: silent })
})
afterAll(async () => producer[Symbol.asyncDispose]())

it('reports a lag that grows while it is stopped, and 0 when all is handled', async () => {
  const topic = await makeTopic(kafka)
  const metrics = createMetrics('test')
  const gate = Promise.withResolvers<void>()
  await using _consumer = new ReadAheadConsumer({
    kafka,
    groupId: `test-${randomUUID()}`,
    topics: [topic],
    gather: { bytes: 1, forMs: 100 },
    take: () => gate.promise,
    onJoin: () => undefined,
    metrics,
    log: silent,
  })
  const send = (count: number) =>
    producer.send(
      Array.from({ length: count }, () => ({ topic, key: 'k', value: Buffer.from('v') })),
    )
  const lag = async () => {
    const exposition = await metrics.registry.metrics()
    const line = new RegExp(
      `^surehook_kafka_consumer_lag_messages\\{[^}]*"${topic}".*\\} (\\d+)$`,
      'm',
    )
    return Number(line.exec(exposition)?.[1] ?? -1)
  }
  await send(3)
  await until(async () => (await lag()) === 3)
  await send(4)
  await until(async () => (await lag()) === 7)
  gate.resolve()
  await until(async () => (await lag()) === 0)
})

it('reads the same partitions of every topic as one member of several', async () => {
  const topics = await Promise.all([1, 2].map(() => makeTopic(kafka, { partitions: 3 })))
  const groupId = `test-${randomUUID()}`
  const keys = Array.from({ length: 60 }, (_, n) => `key ${n}`)
  const open = () => {
    const read = new Map(topics.map((topic) => [topic, new Set<string>()]))
    const consumer = new ReadAheadConsumer({
      kafka,
      groupId,
      topics,
      gather: { bytes: 1, forMs: 100 },
      take: async ({ topic, messages }) => {
        for (const { key } of messages) read.get(topic)?.add(String(key))
      },
      onJoin: () => read.forEach((keysOfTopic) => keysOfTopic.clear()),
      log: silent,
    })
    return { read, consumer }
  }
  const members = [open(), open()]
  await using one = members[0]?.consumer
  await using other = members[1]?.consumer
  await Promise.all([one?.ready, other?.ready])
  const value = Buffer.from('v')
  await producer.send(topics.flatMap((topic) => keys.map((key) => ({ topic, key, value }))))
  const keysOf = (topic: string) => members.flatMap(({ read }) => [...(read.get(topic) ?? [])])
  await until(() => topics.every((topic) => new Set(keysOf(topic)).size === keys.length), {
    what: 'every key of both topics',
  })
  for (const { read } of members) {
    const [first = new Set(), second = new Set()] = topics.map((topic) => read.get(topic))
    expect(first.size).toBeGreaterThan(0)
    expect(second).toEqual(first)
  }
})
