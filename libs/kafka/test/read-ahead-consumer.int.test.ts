import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, it } from '@jest/globals'
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
