import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { silent as log } from '@surehook/testing/database'
import { makeTopic, testKafka } from '@surehook/testing/kafka'
import { until } from '@surehook/testing/until'
import type { Admin, Kafka } from '../src/client/surface.ts'
import { type EventProducer, openProducer } from '../src/producer/producer.ts'
import { LogFetcher, OutOfLogError } from '../src/readers/log-fetcher.ts'
import { readTopicId } from '../src/topics/topic-id.ts'

const kafka: Kafka = testKafka()
const limits = { waitMs: 100, bytes: 1_000_000 }
let producer: EventProducer
let admin: Admin

beforeAll(async () => {
  producer = await openProducer(kafka, { log })
  admin = kafka.admin()
  await admin.connect()
})
afterAll(async () => {
  await admin?.disconnect()
  await producer?.[Symbol.asyncDispose]()
})

const open = (topic: string) => new LogFetcher({ kafka, topic, log })

const fill = (topic: string, ...values: string[]) =>
  producer.send(values.map((value) => ({ topic, key: value, value: Buffer.from(value) })))

const numbers = (count: number) => Array.from({ length: count }, (_, index) => String(index))

describe('LogFetcher', () => {
  it('reads every partition from its start to its end, and then nothing', async () => {
    const topic = await makeTopic(kafka, { partitions: 3 })
    await fill(topic, ...numbers(100))
    await using fetcher = open(topic)
    const starts = [0, 1, 2].map((partition) => ({ partition, offset: 0 }))
    const read = await fetcher.fetchAll(starts, limits)
    const values = read.flatMap(({ messages }) => messages.map(({ value }) => String(value)))
    expect(values.map(Number).toSorted((a, b) => a - b)).toEqual(numbers(100).map(Number))
    const ends = read.map(({ partition, next }) => ({ partition, offset: next }))
    expect(ends.reduce((sum, { offset }) => sum + offset, 0)).toBe(100)
    const again = await fetcher.fetchAll(ends, limits)
    expect(again.map(({ messages, next }) => [messages.length, next])).toEqual(
      again.map(({ partition }) => [0, ends.find((end) => end.partition === partition)?.offset]),
    )
  })

  it('begins in the middle of a batch, and waits for what comes', async () => {
    const topic = await makeTopic(kafka)
    await fill(topic, ...numbers(9))
    await using fetcher = open(topic)
    const [middle] = await fetcher.fetchAll([{ partition: 0, offset: 5 }], limits)
    expect(middle?.messages.map(({ offset }) => offset)).toEqual(['5', '6', '7', '8'])
    const waiting = fetcher.fetchAll([{ partition: 0, offset: 9 }], { ...limits, waitMs: 20_000 })
    await fill(topic, 'new')
    expect((await waiting)[0]).toMatchObject({ partition: 0, next: 10 })
  })

  it('says that an offset is before or after its log', async () => {
    const topic = await makeTopic(kafka)
    await fill(topic, 'a', 'b')
    await admin.fetchTopicMetadata({ topics: [topic] })
    await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: '1' }] })
    await using fetcher = open(topic)
    for (const offset of [0, 7]) {
      const read = fetcher.fetchAll([{ partition: 0, offset }], limits)
      await expect(read).rejects.toBeInstanceOf(OutOfLogError)
    }
    const [rest] = await fetcher.fetchAll([{ partition: 0, offset: 1 }], limits)
    expect(rest?.messages.map(({ value }) => String(value))).toEqual(['b'])
  })
})

describe('readTopicId', () => {
  it('differs when a topic is recreated', async () => {
    const name = await makeTopic(kafka, { partitions: 2 })
    const first = await readTopicId(kafka, name)
    expect(first).toHaveLength(16)
    expect(first).not.toEqual(Buffer.alloc(16))
    expect(await readTopicId(kafka, name)).toEqual(first)
    await admin.deleteTopics({ topics: [name] })
    // The broker may show the topic for a moment.
    await until(async () => !(await admin.listTopics()).includes(name))
    await makeTopic(kafka, { name })
    expect(await readTopicId(kafka, name)).not.toEqual(first)
  })
})
