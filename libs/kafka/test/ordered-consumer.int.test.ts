import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { openEventCodec, UndecodableError } from '@surehook/schemas/codec'
import { createMetrics } from '@surehook/service-kit/telemetry/metrics'
import { silent } from '@surehook/testing/database'
import { makeTopic, readUntil, registryUrl, testKafka, until } from '@surehook/testing/kafka'
import {
  type OrderedConsumerOptions,
  runOrderedConsumer,
} from '../src/consumer/ordered-consumer.ts'
import { refuseInvalid } from '../src/producer/invalid-messages.ts'
import { type EventProducer, openProducer } from '../src/producer/producer.ts'

const kafka = testKafka()
const log = silent
let producer: EventProducer

beforeAll(async () => {
  producer = await openProducer(kafka, { log })
})
afterAll(async () => producer[Symbol.asyncDispose]())

const send = (topic: string, values: readonly string[], key = 'k') =>
  producer.send(values.map((value) => ({ topic, key, value: Buffer.from(value) })))

const run = (topic: string, options: Partial<OrderedConsumerOptions>) =>
  runOrderedConsumer({
    kafka,
    groupId: `test-${randomUUID()}`,
    topics: [topic],
    fromBeginning: true,
    handleBatch: async () => {},
    log,
    ...options,
  })

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => String(from + n))

describe('runOrderedConsumer', () => {
  it('hands over every message in order and goes on from its commit', async () => {
    const topic = await makeTopic(kafka)
    const groupId = `test-${randomUUID()}`
    const seen: string[] = []
    const handleBatch: OrderedConsumerOptions['handleBatch'] = async ({ messages }) => {
      seen.push(...messages.map(({ value }) => String(value)))
    }
    await send(topic, numbers(0, 500))
    {
      await using first = run(topic, { groupId, handleBatch })
      await first.ready
      await until(() => seen.length === 500)
      expect(first.healthy).toBe(true)
    }
    await send(topic, numbers(500, 600))
    await using _second = run(topic, { groupId, handleBatch })
    await until(() => seen.length >= 600)
    expect(seen).toEqual(numbers(0, 600))
  }, 30_000)

  it('repeats a batch that failed, in place and before anything later', async () => {
    const topic = await makeTopic(kafka)
    await send(topic, ['a', 'b'])
    const seen: string[] = []
    await using _consumer = run(topic, {
      handleBatch: async ({ messages }) => {
        seen.push(messages.map(({ value }) => String(value)).join(''))
        if (seen.length < 4) throw new Error('not yet')
      },
    })
    await until(() => seen.length === 4)
    await send(topic, ['c'])
    await until(() => seen.length === 5)
    expect(seen).toEqual(['ab', 'ab', 'ab', 'ab', 'c'])
  }, 30_000)

  it('stops within a second while a batch fails, and leaves it for the next member', async () => {
    const topic = await makeTopic(kafka)
    const groupId = `test-${randomUUID()}`
    await send(topic, ['a'])
    let tries = 0
    const consumer = run(topic, {
      groupId,
      handleBatch: async () => {
        tries += 1
        throw new Error('never')
      },
    })
    await until(() => tries >= 2)
    const startedAt = Date.now()
    await consumer[Symbol.asyncDispose]()
    expect(Date.now() - startedAt).toBeLessThan(2_000)

    const seen: string[] = []
    await using _next = run(topic, {
      groupId,
      handleBatch: async ({ messages }) => {
        seen.push(...messages.map(({ value }) => String(value)))
      },
    })
    await until(() => seen.length === 1)
  }, 30_000)

  it('gives its partitions over while a batch fails, so that a second member can work', async () => {
    const topic = await makeTopic(kafka, { partitions: 2 })
    const groupId = `test-${randomUUID()}`
    await producer.send(
      numbers(0, 40).map((n) => ({
        topic,
        key: n,
        value: Buffer.from(n),
        partition: Number(n) % 2,
      })),
    )
    let failures = 0
    await using first = run(topic, {
      groupId,
      concurrency: 2,
      handleBatch: async () => {
        failures += 1
        throw new Error('this member cannot')
      },
    })
    await first.ready
    await until(() => failures > 0)
    const seen = new Set<string>()
    await using second = run(topic, {
      groupId,
      concurrency: 2,
      handleBatch: async ({ messages }) => {
        for (const { value } of messages) seen.add(String(value))
      },
    })
    await second.ready
    await until(() => seen.size === 20)
  }, 40_000)

  it('moves on past a message that cannot be decoded once it is on the invalid topic', async () => {
    const codec = await openEventCodec({ registryUrl })
    const topic = await makeTopic(kafka)
    const invalid = await makeTopic(kafka, { name: `${topic}.invalid` })
    const groupId = `test-${randomUUID()}`
    await send(topic, ['poison'], 'the key')
    await send(topic, ['good'])
    const seen: string[] = []
    await using _consumer = run(topic, {
      groupId,
      handleBatch: async ({ messages, partition }) => {
        for (const message of messages) {
          try {
            await codec.change.decode(message.value ?? Buffer.alloc(0))
          } catch (err) {
            if (!(err instanceof UndecodableError)) throw err
            const { message: reason } = err
            seen.push(String(message.value))
            if (seen.at(-1) === 'good') continue
            const refused = { message, topic, partition, reason, refusedBy: groupId }
            await refuseInvalid(producer, codec, refused)
          }
        }
      },
    })
    await until(() => seen.includes('good'))
    const [refused] = await readUntil(kafka, invalid, (read) => read.length > 0)
    expect(refused?.key?.toString()).toBe('the key')
    expect(await codec.invalid.decode(refused?.value ?? Buffer.alloc(0))).toMatchObject({
      topic,
      partition: 0,
      offset: '0',
      key: Buffer.from('the key'),
      value: Buffer.from('poison'),
      reason: 'Not in the Confluent wire format',
      refusedBy: groupId,
    })
  }, 30_000)

  it('shows its lag', async () => {
    const topic = await makeTopic(kafka)
    const metrics = createMetrics('test')
    const gate = Promise.withResolvers<void>()
    let handled = 0
    await send(topic, ['a', 'b', 'c'])
    await using _consumer = run(topic, {
      metrics,
      handleBatch: async ({ messages }) => {
        await gate.promise
        handled += messages.length
      },
    })
    gate.resolve()
    await until(() => handled === 3)
    await until(async () =>
      (await metrics.registry.metrics()).includes('surehook_kafka_consumer_lag_messages{'),
    )
    expect(await metrics.registry.metrics()).toMatch(
      new RegExp(
        `surehook_kafka_consumer_lag_messages\\{[^}]*topic="${topic}",partition="0"[^}]*\\} 0`,
      ),
    )
  }, 30_000)

  it('waits for a topic that is not there yet', async () => {
    const topic = `test-${randomUUID()}`
    let seen = 0
    await using consumer = run(topic, {
      handleBatch: async ({ messages }) => {
        seen += messages.length
      },
    })
    expect(consumer.healthy).toBe(false)
    await makeTopic(kafka, { name: topic })
    await send(topic, ['a'])
    await until(() => seen === 1, 25_000)
  }, 40_000)
})
