import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { until } from '@surehook/testing/until'
import { pino } from 'pino'
import { createKafka } from '../src/client/client.ts'
import type { EventProducer } from '../src/producer/producer.ts'
import { openProducer } from '../src/producer/producer.ts'
import { ensureTopics } from '../src/topics/topics.ts'
import type { PartitionHandler } from '../src/windowed/partition-handler.ts'
import type { WindowedConsumerOptions, WindowedMessage } from '../src/windowed/windowed-consumer.ts'
import { WindowedConsumer } from '../src/windowed/windowed-consumer.ts'
import { handlerOf } from './support/handler.ts'

const log = pino({ level: process.env['TEST_LOG'] ?? 'silent' })
const kafka = createKafka({
  brokers: (process.env['TEST_KAFKA_BROKERS'] ?? '').split(','),
  clientId: 'windowed-consumer-test',
  log,
})
const partitions = 4
let producer: EventProducer
let left: string
let right: string
let groupId: string

beforeAll(async () => {
  producer = await openProducer(kafka, { log })
})
afterAll(async () => producer[Symbol.asyncDispose]())
beforeEach(async () => {
  const id = randomUUID()
  left = `left-${id}`
  right = `right-${id}`
  groupId = `group-${id}`
  await ensureTopics(
    kafka,
    [left, right].map((name) => ({ name, partitions: 'main', config: {} })),
    { mainPartitions: partitions, replicationFactor: 1, log, signal: AbortSignal.timeout(10_000) },
  )
})

async function publish(topic: string, from: number, to: number): Promise<void> {
  const records = []
  for (let n = from; n < to; n++) {
    records.push({ topic, key: `key-${n % 50}`, value: Buffer.from(String(n)) })
  }
  await producer.send(records)
}

type Member = { consumer: WindowedConsumer; messages: WindowedMessage[]; owned: Set<number> }

async function open({
  handler,
  ...options
}: Partial<Omit<WindowedConsumerOptions, 'handler'>> & {
  handler?: Partial<PartitionHandler>
} = {}): Promise<Member> {
  const messages: WindowedMessage[] = []
  const owned = new Set<number>()
  const consumer = new WindowedConsumer({
    kafka,
    groupId,
    topics: [left, right],
    window: { messages: 500, bytes: 1_000_000 },
    commitIntervalMs: 5,
    drainMs: 2_000,
    handler: handlerOf((message) => messages.push(message), {
      assigned: (partition) => owned.add(partition),
      revoked: (partition) => owned.delete(partition),
      ...handler,
    }),
    log,
    ...options,
  })
  await consumer.start()
  return { consumer, messages, owned }
}

const numbers = (messages: readonly WindowedMessage[]) =>
  messages.map(({ value }) => Number(value)).toSorted((a, b) => a - b)
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i)

describe('WindowedConsumer', () => {
  it('repeats exactly the unfinished messages after a restart', async () => {
    await publish(left, 0, 300)
    const first = await open()
    await until(() => first.messages.length === 300)
    for (const message of first.messages) if (Number(message.value) % 3 > 0) message.finish()
    await first.consumer[Symbol.asyncDispose]()

    const second = await open()
    const open3 = range(0, 300).filter((n) => n % 3 === 0)
    await until(() => second.messages.length >= open3.length)
    await publish(left, 300, 301)
    await until(() => second.messages.length > open3.length)
    expect(numbers(second.messages)).toEqual([...open3, 300])
    await second.consumer[Symbol.asyncDispose]()
  })

  it('pauses at its window and continues when there is room', async () => {
    const { consumer, messages } = await open({ window: { messages: 20, bytes: 1_000_000 } })
    await publish(left, 0, 200)
    await until(() => messages.length === 200)
    await publish(left, 200, 400)
    // A consumer without a window has read the whole topic by then.
    const other = await open({ groupId: `${groupId}-other` })
    await until(() => other.messages.length === 400)
    expect(messages).toHaveLength(200)
    await until(() => {
      for (const message of messages) message.finish()
      return messages.length === 400
    })
    expect(numbers(messages)).toEqual(range(0, 400))
    await Promise.all([consumer, other.consumer].map((one) => one[Symbol.asyncDispose]()))
  })

  it('hands out no message of a shared window before its tenant is known', async () => {
    const known = Promise.withResolvers<void>()
    let asked = 0
    const whenTenantsKnown = () => (asked++ === 0 ? known.promise : undefined)
    const handler = { tenantOf: () => 'somebody', whenTenantsKnown }
    const { consumer, messages } = await open({ tenantTopics: [left], handler })
    await publish(left, 0, 100)
    await until(() => asked > 0)
    expect(messages).toEqual([])
    known.resolve()
    await until(() => messages.length === 100)
    expect(numbers(messages)).toEqual(range(0, 100))
    await consumer[Symbol.asyncDispose]()
  })

  it('joins again after kafkajs has given up, and continues at its position', async () => {
    let faults = 1
    // kafkajs treats a TypeError as not retriable.
    const afterRead = () => {
      if (faults-- > 0) throw new TypeError('a fault of ours')
    }
    const { consumer, messages } = await open({ handler: { afterRead } })
    await publish(left, 0, 100)
    await until(() => messages.length === 100)
    expect(numbers(messages)).toEqual(range(0, 100))
    for (const message of messages) message.finish()
    await publish(left, 100, 200)
    await until(() => messages.length === 200)
    await consumer[Symbol.asyncDispose]()
  })

  it('gives a member the same partitions of every topic, and moves few when one joins', async () => {
    const first = await open()
    await until(() => first.owned.size === partitions)
    const second = await open()
    await until(() => first.owned.size === 2 && second.owned.size === 2)
    expect([...first.owned].filter((partition) => second.owned.has(partition))).toEqual([])
    await publish(left, 0, 100)
    await publish(right, 100, 200)
    await until(() => first.messages.length + second.messages.length >= 200)
    for (const { messages, owned } of [first, second]) {
      expect(messages.every(({ partition }) => owned.has(partition))).toBe(true)
      expect(new Set(messages.map(({ topic }) => topic)).size).toBe(2)
    }
    await Promise.all([first, second].map(({ consumer }) => consumer[Symbol.asyncDispose]()))
  })

  it('repeats nothing when a member joins under load and work in flight is drained', async () => {
    const seen: number[] = []
    let inFlight = 0
    let isDraining = false
    const waiting: WindowedMessage[] = []
    const begin = (message: WindowedMessage) => {
      if (message.lease.aborted) return
      if (isDraining) return void waiting.push(message)
      inFlight++
      setTimeout(() => {
        seen.push(Number(message.value))
        inFlight--
        message.finish()
      }, 100)
    }
    const first = await open({
      handler: {
        handle: begin,
        get inFlight() {
          return inFlight
        },
        inFlightOf: () => inFlight,
        drain(_partition, now) {
          isDraining = now
          if (!now) for (const message of waiting.splice(0)) begin(message)
        },
      },
    })
    await until(() => first.owned.size === partitions)
    await publish(left, 0, 500)
    const second = await open({
      handler: {
        handle(message) {
          seen.push(Number(message.value))
          message.finish()
        },
      },
    })
    let published = 500
    while (second.owned.size < 2) {
      await publish(left, published, published + 10)
      published += 10
    }
    await publish(left, published, published + 100)
    published += 100
    await until(() => new Set(seen).size === published)
    expect(seen).toHaveLength(published)
    await Promise.all([first, second].map(({ consumer }) => consumer[Symbol.asyncDispose]()))
  })

  it('reads open messages again after a seek, marked as reread', async () => {
    const { consumer, messages } = await open()
    await publish(left, 0, 40)
    await until(() => messages.length === 40)
    const partition = messages[0]?.partition ?? 0
    const mine = messages.filter((message) => message.partition === partition)
    mine[0]?.finish()
    consumer.seek(left, partition, 0)
    await until(() => messages.length === 40 + mine.length - 1)
    const again = messages.slice(40)
    expect(again.every(({ reread }) => reread)).toBe(true)
    expect(again.map(({ offset }) => offset)).toEqual(mine.slice(1).map(({ offset }) => offset))
    await consumer[Symbol.asyncDispose]()
  })

  it('passes the last finished messages to a new owner', async () => {
    await publish(left, 0, 100)
    const first = await open()
    await until(() => first.messages.length === 100)
    for (const message of first.messages) message.finish()
    await first.consumer[Symbol.asyncDispose]()
    const before: number[] = []
    const second = await open({
      lookBack: { topics: [left], messages: 5, bytes: 1_000_000 },
      handler: { finishedBefore: ({ value }) => before.push(Number(value)) },
    })
    await publish(left, 100, 150)
    await until(() => second.messages.length === 50)
    expect(numbers(second.messages)).toEqual(range(100, 150))
    expect(before.length).toBe(5 * partitions)
    await second.consumer[Symbol.asyncDispose]()
  })
})
