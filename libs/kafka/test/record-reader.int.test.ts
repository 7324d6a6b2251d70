import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { silent as log } from '@surehook/testing/database'
import { makeTopic, testKafka } from '@surehook/testing/kafka'
import type { Admin, Kafka } from '../src/client/surface.ts'
import { type EventProducer, openProducer } from '../src/producer/producer.ts'
import { openRecordReader, type RecordReader } from '../src/readers/record-reader.ts'

const kafka: Kafka = testKafka()
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

const open = (topic: string): RecordReader => openRecordReader({ kafka, topic, log })

const fill = (topic: string, ...values: string[]) =>
  producer.send(values.map((value) => ({ topic, key: 'k', value: Buffer.from(value) })))

const valuesFrom = async (reader: RecordReader, offset: number, bytes = 1) =>
  (await reader.readFrom({ partition: 0, offset }, bytes)).map(({ value }) => String(value))

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => String(from + index))

describe('openRecordReader', () => {
  it('reads a record and the rest of its batch, concurrently', async () => {
    const topic = await makeTopic(kafka)
    await fill(topic, ...numbers(0, 5))
    await fill(topic, ...numbers(5, 9))
    await using reader = open(topic)
    const all = await Promise.all(numbers(0, 9).map((at) => valuesFrom(reader, Number(at))))
    expect(all.map(([first]) => first)).toEqual(numbers(0, 9))
    expect(all[3]).toEqual(['3', '4'])
    expect(await valuesFrom(reader, 3, 1_000_000)).toEqual(numbers(3, 9))
  })

  it('returns nothing outside of the log or for a missing partition', async () => {
    const topic = await makeTopic(kafka)
    await fill(topic, 'a')
    await fill(topic, 'b')
    await using reader = open(topic)
    expect(await valuesFrom(reader, 2)).toEqual([])
    expect(await valuesFrom(reader, 3)).toEqual([])
    expect(await reader.readFrom({ partition: 7, offset: 0 }, 1)).toEqual([])
    await admin.fetchTopicMetadata({ topics: [topic] })
    await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: '1' }] })
    expect(await valuesFrom(reader, 0)).toEqual([])
    expect(await valuesFrom(reader, 1)).toEqual(['b'])
  })

  it('reports a missing topic as unavailable', async () => {
    await using reader = open('test.nowhere')
    await expect(reader.readFrom({ partition: 0, offset: 0 }, 1)).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    })
  })
})
