import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { MemoryBudget } from '@surehook/service-kit/config/memory-budget'
import { silent as log } from '@surehook/testing/database'
import { makeTopic, testKafka } from '@surehook/testing/kafka'
import { until } from '@surehook/testing/until'
import { type EventProducer, openProducer } from '../src/producer/producer.ts'
import type { PartitionHandler } from '../src/windowed/partition-handler.ts'
import type { WindowedConsumerOptions, WindowedMessage } from '../src/windowed/windowed-consumer.ts'
import { WindowedConsumer } from '../src/windowed/windowed-consumer.ts'
import { handlerOf } from './support/handler.ts'

const kafka = testKafka()
let producer: EventProducer

beforeAll(async () => {
  producer = await openProducer(kafka, { log })
})
afterAll(async () => producer[Symbol.asyncDispose]())

type Options = Pick<WindowedConsumerOptions, 'budget' | 'aheadMs'> & {
  handler: Partial<PartitionHandler>
}

async function open(topic: string, { handler, ...options }: Options) {
  const messages: WindowedMessage[] = []
  const consumer = new WindowedConsumer({
    ...{ kafka, groupId: `window-limits-${randomUUID()}`, topics: [topic], tenantTopics: [topic] },
    window: { messages: 1_000, bytes: 4 * 1024 * 1024 },
    commitIntervalMs: 5,
    drainMs: 1_000,
    handler: handlerOf((message) => messages.push(message), handler),
    log,
    ...options,
  })
  await consumer.start()
  return { consumer, messages, [Symbol.asyncDispose]: () => consumer[Symbol.asyncDispose]() }
}

it('holds no more than the budget of all windows, and lets other tenants of a partition go on', async () => {
  const [partitions, bytes, limit] = [4, 2_000, 400_000]
  const topic = await makeTopic(kafka, { partitions })
  const floods = Array.from({ length: partitions * 400 }, (_, n) => {
    const partition = n % partitions
    return { topic, partition, key: `flood-${partition}`, value: Buffer.alloc(bytes) }
  })
  const others = Array.from({ length: partitions }, (_, partition) => {
    return { topic, partition, key: `other-${partition}`, value: Buffer.alloc(bytes) }
  })
  await producer.send([...floods, ...others])
  const budget = new MemoryBudget(limit)
  const handler = { tenantOf: ({ key }: { key: Buffer | null }) => String(key) }
  await using opened = await open(topic, { budget, handler })
  const { messages } = opened
  const ofOthers = () => messages.filter(({ key }) => String(key).startsWith('other'))
  await until(() => ofOthers().length === partitions)
  expect(messages.length * bytes).toBeLessThanOrEqual(1.5 * limit + partitions * bytes)
  expect(messages.length * bytes).toBeGreaterThan(limit / 2)
  let finished = 0
  await until(() => {
    for (; finished < messages.length; finished++) messages[finished]?.finish()
    return messages.length === floods.length + others.length
  })
  await until(() => budget.used === 0)
})

it('leaves messages that are not due soon in the log until they are', async () => {
  const topic = await makeTopic(kafka)
  const aheadMs = 1_000
  const now = Date.now()
  const due = [now, now + 3_000, now + 3_050, now + 60_000, now]
  await producer.send(due.map((at) => ({ topic, key: 'k', value: Buffer.from(String(at)) })))
  const readAt: number[] = []
  await using opened = await open(topic, {
    aheadMs,
    handler: {
      tenantOf: () => 'some',
      waitMs: (_, { value }) => Number(value) - Date.now(),
      handle: (message) => {
        opened.messages.push(message)
        readAt.push(Date.now())
      },
    },
  })
  const { consumer, messages } = opened
  await until(() => messages.length >= 1)
  messages[0]?.finish()
  await until(() => consumer.open === 0)
  await until(() => messages.length >= 3)
  for (const nth of [1, 2]) {
    expect(readAt[nth]).toBeGreaterThanOrEqual((due[nth] ?? 0) - aheadMs)
  }
  expect([messages.length, consumer.open]).toEqual([3, 2])
})
