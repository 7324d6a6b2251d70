import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { silent as log } from '@surehook/testing/database'
import { makeTopic, testKafka } from '@surehook/testing/kafka'
import type { Kafka } from '../src/client/surface.ts'
import { type EventProducer, openProducer } from '../src/producer/producer.ts'
import { type LogReader, openLogReader } from '../src/readers/log-reader.ts'

const kafka: Kafka = testKafka()
let producer: EventProducer

beforeAll(async () => {
  producer = await openProducer(kafka, { log })
})
afterAll(async () => producer?.[Symbol.asyncDispose]())

const open = (topic: string): LogReader => openLogReader({ kafka, topic, clientId: 'test', log })

const fill = (topic: string, from: number, to: number) =>
  producer.send(
    Array.from({ length: to - from }, (_, index) => ({
      topic,
      key: 'k',
      value: Buffer.from(String(from + index)),
    })),
  )

async function readAll(reader: LogReader, from: number, to: number): Promise<number[]> {
  const values: number[] = []
  for (let at = from; at < to; ) {
    const { messages, next } = await reader.read({ partition: 0, from: at, to })
    values.push(...messages.map(({ value }) => Number(value)))
    at = next
  }
  return values
}

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => from + index)

describe('openLogReader', () => {
  it('reads any span, repeatedly', async () => {
    const topic = await makeTopic(kafka)
    await fill(topic, 0, 500)
    await using reader = open(topic)
    expect(await readAll(reader, 0, 500)).toEqual(numbers(0, 500))
    expect(await readAll(reader, 490, 500)).toEqual(numbers(490, 500))
    expect(await readAll(reader, 17, 18)).toEqual([17])
    expect(await readAll(reader, 5, 5)).toEqual([])
  })

  it('answers concurrent reads, each with its own span', async () => {
    const topic = await makeTopic(kafka)
    await fill(topic, 0, 300)
    await using reader = open(topic)
    const all = await Promise.all([
      readAll(reader, 0, 100),
      readAll(reader, 250, 300),
      readAll(reader, 50, 60),
    ])
    expect(all).toEqual([numbers(0, 100), numbers(250, 300), numbers(50, 60)])
  })

  it('reads later records, and waits for those that the log does not show yet', async () => {
    const topic = await makeTopic(kafka)
    await fill(topic, 0, 3)
    await using reader = open(topic)
    expect(await readAll(reader, 0, 3)).toEqual([0, 1, 2])
    const late = readAll(reader, 3, 5)
    // Fetches find nothing meanwhile.
    await fill(await makeTopic(kafka), 0, 1)
    await fill(topic, 3, 5)
    expect(await late).toEqual([3, 4])
  })

  it('returns bounds, and the offsets of a time', async () => {
    const topic = await makeTopic(kafka, { partitions: 2 })
    await fill(topic, 0, 10)
    await using reader = open(topic)
    const ends = await reader.bounds()
    expect(ends.map(({ end }) => end).toSorted((a, b) => a - b)).toEqual([0, 10])
    const begin = await reader.offsetsAt(Date.now() - 60_000)
    expect([...begin.values()]).toEqual([0, 0])
    const later = await reader.offsetsAt(Date.now() + 60_000)
    expect([...later.values()].toSorted((a, b) => a - b)).toEqual([0, 10])
  })

  it('ends a read when its caller aborts', async () => {
    const topic = await makeTopic(kafka)
    await using reader = open(topic)
    const gone = new AbortController()
    const read = reader.read({ partition: 0, from: 0, to: 1 }, gone.signal)
    gone.abort(new Error('gone'))
    await expect(read).rejects.toThrow('gone')
  })
})
