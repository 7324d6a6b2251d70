import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { silent as log } from '@surehook/testing/database'
import { makeTopic, testKafka } from '@surehook/testing/kafka'
import type { Kafka } from '../src/client/surface.ts'
import { type EventProducer, openProducer } from '../src/producer/producer.ts'
import { openSpanReader, type SpanReader, type TopicSpan } from '../src/readers/span-reader.ts'

const kafka: Kafka = testKafka()
const signal = AbortSignal.timeout(60_000)
let producer: EventProducer

beforeAll(async () => {
  producer = await openProducer(kafka, { log })
})
afterAll(async () => producer?.[Symbol.asyncDispose]())

const open = (...topics: string[]): SpanReader =>
  openSpanReader({ kafka, topics, clientId: 'test', log })

/** Sends the records `0`, `1`, … to each partition. */
const fill = (topic: string, partitions: number, count: number) =>
  producer.send(
    Array.from({ length: partitions * count }, (_, index) => ({
      topic,
      partition: index % partitions,
      key: 'k',
      value: Buffer.from(String(Math.floor(index / partitions))),
    })),
  )

/** Reads spans. The result has the records by partition. */
async function readAll(
  reader: SpanReader,
  spans: readonly TopicSpan[],
): Promise<Record<string, number[]>> {
  const read: Record<string, number[]> = {}
  const handle = (
    { topic, partition }: { topic: string; partition: number },
    messages: readonly { value: Buffer | null }[],
  ) => {
    const of = `${topic}/${partition}`
    read[of] = [...(read[of] ?? []), ...messages.map(({ value }) => Number(value))]
  }
  await reader.read(spans, handle, signal)
  return read
}

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => from + index)

describe('openSpanReader', () => {
  it('reads all records of several spans, each in order, repeatedly', async () => {
    const [one, two] = await Promise.all([
      makeTopic(kafka, { partitions: 3 }),
      makeTopic(kafka, { partitions: 1 }),
    ])
    await Promise.all([fill(one, 3, 2_000), fill(two, 1, 100)])
    await using reader = open(one, two)
    const spans = [
      { topic: one, partition: 0, from: 0, to: 2_000 },
      { topic: one, partition: 1, from: 1_990, to: 1_999 },
      { topic: two, partition: 0, from: 5, to: 5 },
    ]
    const expected = { [`${one}/0`]: numbers(0, 2_000), [`${one}/1`]: numbers(1_990, 1_999) }
    expect(await readAll(reader, spans)).toEqual(expected)
    expect(await readAll(reader, spans)).toEqual(expected)
    const others = [
      { topic: one, partition: 2, from: 17, to: 18 },
      { topic: two, partition: 0, from: 0, to: 100 },
    ]
    expect(await readAll(reader, others)).toEqual({
      [`${one}/2`]: [17],
      [`${two}/0`]: numbers(0, 100),
    })
    expect(await readAll(reader, [])).toEqual({})
  })

  it('ends when records have been deleted', async () => {
    const topic = await makeTopic(kafka, { partitions: 2 })
    await fill(topic, 2, 10)
    const admin = kafka.admin()
    await admin.connect()
    try {
      // Loads the topic's leaders into the client.
      await admin.fetchTopicOffsets(topic)
      const partitions = ['10', '4'].map((offset, partition) => ({ partition, offset }))
      await admin.deleteTopicRecords({ topic, partitions })
    } finally {
      await admin.disconnect()
    }
    await using reader = open(topic)
    const spans = [0, 1].map((partition) => ({ topic, partition, from: 0, to: 10 }))
    expect(await readAll(reader, spans)).toEqual({ [`${topic}/1`]: numbers(4, 10) })
  })

  it('ends with its caller or an error of the handler, and can read again', async () => {
    const topic = await makeTopic(kafka)
    await fill(topic, 1, 10)
    await using reader = open(topic)
    const all = [{ topic, partition: 0, from: 0, to: 10 }]
    const gone = new AbortController()
    const waiting = reader.read(
      [{ topic, partition: 0, from: 0, to: 11 }],
      () => gone.abort(new Error('gone')),
      gone.signal,
    )
    await expect(waiting).rejects.toThrow('gone')
    const refusing = reader.read(
      all,
      () => {
        throw new Error('not this one')
      },
      signal,
    )
    await expect(refusing).rejects.toThrow('not this one')
    expect(await readAll(reader, all)).toEqual({ [`${topic}/0`]: numbers(0, 10) })
  })
})
