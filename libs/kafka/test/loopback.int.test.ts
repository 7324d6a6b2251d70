import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { silent } from '@surehook/testing/database'
import { makeTopic, readUntil, testKafka } from '@surehook/testing/kafka'
import { rawKafka } from '@surehook/testing/raw-kafka'
import { until } from '@surehook/testing/until'
import type { KafkaMessage } from '../src/client/surface.ts'
import { type EventProducer, openProducer } from '../src/producer/producer.ts'
import { WindowedConsumer } from '../src/windowed/windowed-consumer.ts'
import type { WindowedMessage } from '../src/windowed/windowed-message.ts'
import { handlerOf } from './support/handler.ts'

/** As on the topics of the platform. */
const config = { 'message.timestamp.type': 'LogAppendTime' }
const kafka = testKafka()
/** Its records are like those of another process: the readers here learn of them by fetching. */
const stranger = rawKafka(kafka).producer()
let producer: EventProducer
let topic: string

beforeAll(async () => {
  producer = await openProducer(kafka, { log: silent })
  await stranger.connect()
})
afterAll(async () => {
  await producer[Symbol.asyncDispose]()
  await stranger.disconnect()
})
beforeEach(async () => {
  topic = await makeTopic(kafka, { config })
})

async function openReader(groupId = `group-${topic}`) {
  const messages: WindowedMessage[] = []
  const take = (message: WindowedMessage) => {
    messages.push(message)
    message.finish()
  }
  const consumer = new WindowedConsumer({
    ...{ kafka, groupId, topics: [topic], log: silent, handler: handlerOf(take) },
    window: { messages: 500, bytes: 1_000_000 },
    ...{ commitIntervalMs: 5, drainMs: 2_000 },
  })
  await consumer.start()
  return { messages, [Symbol.asyncDispose]: () => consumer[Symbol.asyncDispose]() }
}

const valueOf = (n: number) => Buffer.from(`record ${n}`)

const produce = async (value: Buffer) => {
  const headers = { 'wal-position': '1/0', bytes: Buffer.from('b') }
  await producer.send([{ topic, key: 'a key', value, headers }])
}

/** Produces until the reader has taken one of the records from memory: not a copy of it. */
async function produceUntilTaken(messages: readonly WindowedMessage[], from = 0): Promise<number> {
  let produced = from
  await until(
    async () => {
      const value = valueOf(produced++)
      await produce(value)
      await until(() => messages.length === produced)
      return messages.at(-1)?.value === value
    },
    { everyMs: 0 },
  )
  return produced
}

const fieldsOf = ({ key, value, headers, timestamp, offset }: KafkaMessage | WindowedMessage) => ({
  ...{ key, value, headers, timestamp, offset: Number(offset) },
})

describe('a reader in the process that produces', () => {
  it('takes produced records from memory as a fetch returns them', async () => {
    await using reader = await openReader()
    const produced = await produceUntilTaken(reader.messages)
    const fetched = await readUntil(kafka, topic, ({ length }) => length === produced)
    expect(reader.messages.map(fieldsOf)).toEqual(fetched.map(fieldsOf))
  })

  it('reads what another process writes in between, once and in order', async () => {
    await using reader = await openReader()
    let next = await produceUntilTaken(reader.messages)
    for (let turn = 0; turn < 30; turn++) {
      await produce(valueOf(next))
      await stranger.send({ topic, messages: [{ value: `strange ${turn}` }] })
      await produce(valueOf(next + 1))
      next += 2
    }
    const total = next + 30
    await until(() => reader.messages.length >= total)
    // Nothing follows that was read twice.
    await produceUntilTaken(reader.messages, total)
    const fetched = await readUntil(kafka, topic, ({ length }) => length === reader.messages.length)
    expect(reader.messages.map(fieldsOf)).toEqual(fetched.map(fieldsOf))
  })

  it('reads a record of another process while its own follow each other', async () => {
    const other = await makeTopic(kafka, { partitions: 2, config, name: `${topic}-2` })
    topic = other
    await using reader = await openReader()
    const keyOf = (partition: number) => ({ topic, key: null, partition })
    const done = new AbortController()
    const produceOn = async () => {
      while (!done.signal.aborted) await producer.send([{ ...keyOf(0), value: valueOf(0) }])
    }
    const producing = produceOn()
    await until(() => reader.messages.length > 100)
    await stranger.send({ topic, messages: [{ key: 'to any', value: 'strange' }] })
    await until(() => reader.messages.some(({ value }) => String(value) === 'strange'))
    done.abort()
    await producing
  })

  it('continues at its position after it has joined again', async () => {
    const groupId = `group-${topic}`
    const first = await openReader(groupId)
    const produced = await produceUntilTaken(first.messages)
    await first[Symbol.asyncDispose]()
    await produce(valueOf(produced))
    await using second = await openReader(groupId)
    await until(() => second.messages.length === 1)
    await produceUntilTaken(second.messages, 1)
    expect(second.messages[0]?.offset).toBe(produced)
  })

  it('fetches the records of a topic that keeps the times of its producers', async () => {
    topic = await makeTopic(kafka)
    await using reader = await openReader()
    const values = Array.from({ length: 100 }, (_, n) => valueOf(n))
    for (const value of values) await produce(value)
    await until(() => reader.messages.length === values.length)
    const fetched = await readUntil(kafka, topic, ({ length }) => length === values.length)
    expect(reader.messages.map(fieldsOf)).toEqual(fetched.map(fieldsOf))
    expect(reader.messages.some(({ value }, n) => value === values[n])).toBe(false)
  })
})
