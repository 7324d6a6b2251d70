import { randomUUID } from 'node:crypto'
import { expect, it } from '@jest/globals'
import { silent as log } from '@surehook/testing/database'
import { makeTopic, testKafka } from '@surehook/testing/kafka'
import { until } from '@surehook/testing/until'
import { openProducer } from '../src/producer/producer.ts'
import type { WindowedMessage } from '../src/windowed/windowed-consumer.ts'
import { WindowedConsumer } from '../src/windowed/windowed-consumer.ts'
import { handlerOf } from './support/handler.ts'

const kafka = testKafka()
const each = 8_000

it('reads few records for each that it hands out, with two floods in one partition', async () => {
  const topic = await makeTopic(kafka, { partitions: 1 })
  await using producer = await openProducer(kafka, { log })
  const flood = (tenant: string) =>
    Array.from({ length: each }, () => ({ topic, key: tenant, value: Buffer.alloc(500) }))
  await producer.send(flood('first'))
  await producer.send(flood('second'))
  const held: WindowedMessage[] = []
  let handedOut = 0
  let fetched = 0
  let from = 0
  await using consumer = new WindowedConsumer({
    kafka,
    groupId: `reading-back-${randomUUID()}`,
    topics: [topic],
    tenantTopics: [topic],
    window: { messages: 1_000, bytes: 4 * 1024 * 1024 },
    commitIntervalMs: 5,
    drainMs: 1_000,
    handler: handlerOf(
      (message) => {
        handedOut++
        held.push(message)
      },
      {
        tenantOf: ({ key }) => String(key),
        beforeRead: (_, offset) => void (from = offset),
        afterRead: (_, position) => void (fetched += position - from),
      },
    ),
    log,
  })
  await consumer.start()
  // Receivers answer some at a time, in the order of their posts.
  const answering = setInterval(() => {
    for (const message of held.splice(0, 100)) message.finish()
  }, 5)
  await until(() => handedOut === 2 * each)
  clearInterval(answering)
  expect(fetched / handedOut).toBeLessThan(5)
})
