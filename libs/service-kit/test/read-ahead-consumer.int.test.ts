import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, it } from '@jest/globals'
import { type EventProducer, openProducer } from '../src/kafka/producer.ts'
import { ReadAheadConsumer } from '../src/kafka/read-ahead-consumer.ts'
import { createMetrics } from '../src/metrics.ts'
import { silent } from './database.ts'
import { makeTopic, testKafka, until } from './kafka.ts'

const kafka = testKafka()
let producer: EventProducer

beforeAll(async () => {
  producer = await openProducer(kafka, { log: silent })
})
afterAll(async () => producer[Symbol.asyncDispose]())

it('tells a lag that grows while it stands still, and none when all is handled', async () => {
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
    const told = await metrics.registry.metrics()
    const line = new RegExp(
      `^surehook_kafka_consumer_lag_messages\\{[^}]*"${topic}".*\\} (\\d+)$`,
      'm',
    )
    return Number(line.exec(told)?.[1] ?? -1)
  }
  await send(3)
  await until(async () => (await lag()) === 3)
  await send(4)
  await until(async () => (await lag()) === 7)
  gate.resolve()
  await until(async () => (await lag()) === 0)
}, 60_000)
