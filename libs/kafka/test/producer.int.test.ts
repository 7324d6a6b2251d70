import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, describe, expect, it, jest } from '@jest/globals'
import { topicTable } from '@surehook/contracts/topics'
import { createMetrics } from '@surehook/service-kit/telemetry/metrics'
import { silent } from '@surehook/testing/database'
import { endOf, makeTopic, readUntil, testKafka } from '@surehook/testing/kafka'
import { until } from '@surehook/testing/until'
import { openProducer } from '../src/producer/producer.ts'
import { UnsendableError } from '../src/producer/unsendable-error.ts'

const kafka = testKafka()
const log = silent
const requestSeconds = { name: 'surehook_kafka_producer_request_duration_seconds', help: '' }
type Value = { metricName?: string; value: number }
const record = (topic: string, value: string, key: string | null = null) => ({
  topic,
  key,
  value: Buffer.from(value),
})

describe('openProducer', () => {
  it('keeps the order of thousands of concurrent calls and acknowledges each once', async () => {
    const topic = await makeTopic(kafka, { partitions: 4 })
    await using producer = await openProducer(kafka, { log })
    const calls: Promise<void>[] = []
    for (let n = 0; n < 6_000; n++) {
      calls.push(producer.send([record(topic, `${n}`, `k${n % 17}`)]))
    }
    await Promise.all(calls)

    const messages = await readUntil(kafka, topic, (read) => read.length >= 6_000)
    expect(await endOf(kafka, topic)).toBe(6_000)
    const last = new Map<string, number>()
    for (const { key, value } of messages) {
      expect(Number(value)).toBeGreaterThan(last.get(String(key)) ?? -1)
      last.set(String(key), Number(value))
    }
  })

  it('sends at once after a pause, batches what follows, and does not delay many records', async () => {
    const topic = await makeTopic(kafka)
    const metrics = createMetrics('test')
    await using producer = await openProducer(kafka, { log, metrics, gatherMs: 500 })
    const requests = async () => {
      const { values } = (await metrics.histogram(requestSeconds).get()) as { values: Value[] }
      return values.find(({ metricName }) => metricName?.endsWith('_count'))?.value ?? 0
    }
    await producer.send([record(topic, 'first')])
    expect(await requests()).toBe(1)
    const gathered: Promise<void>[] = []
    for (let n = 0; n < 5; n++) {
      gathered.push(producer.send([record(topic, `gathered ${n}`)]))
      await turn()
    }
    expect(await requests()).toBe(1)
    await Promise.all(gathered)
    expect(await requests()).toBe(2)
    let isAlone = true
    const alone = producer.send([record(topic, 'waits')]).then(() => {
      isAlone = false
    })
    await turn()
    expect(isAlone).toBe(true)
    await producer.send(Array.from({ length: 100 }, (_, n) => record(topic, `many ${n}`)))
    await alone
    expect(await requests()).toBe(3)
  })

  it('splits a call of several megabytes and keeps its order', async () => {
    const topic = await makeTopic(kafka)
    await using producer = await openProducer(kafka, { log })
    const text = 'x'.repeat(2_000)
    await producer.send(Array.from({ length: 3_000 }, (_, n) => record(topic, `${n} ${text}`)))
    const messages = await readUntil(kafka, topic, (read) => read.length >= 3_000)
    expect(messages.map(({ value }) => Number.parseInt(String(value), 10))).toEqual(
      Array.from({ length: 3_000 }, (_, n) => n),
    )
  })

  it('sends one record of nearly 2 MiB', async () => {
    const topic = await makeTopic(kafka, { config: { 'max.message.bytes': '2097152' } })
    await using producer = await openProducer(kafka, { log })
    await producer.send([record(topic, 'x'.repeat(2_090_000))])
    expect(await endOf(kafka, topic)).toBe(1)
  })

  it('rejects only the call whose record the broker refuses', async () => {
    const small = await makeTopic(kafka, { config: { 'max.message.bytes': '2000' } })
    const topic = await makeTopic(kafka)
    await using producer = await openProducer(kafka, { log })
    const results = await Promise.allSettled([
      producer.send([record(topic, 'before')]),
      producer.send([record(topic, 'with it'), record(small, 'x'.repeat(5_000))]),
      producer.send([record(topic, 'after'), record(small, 'fits')]),
    ])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(results[1]).toMatchObject({ reason: expect.any(UnsendableError) })

    await producer.send([record(topic, 'later')])
    const read = await readUntil(kafka, topic, (got) => String(got.at(-1)?.value) === 'later')
    const values = read.map(({ value }) => String(value))
    expect(values).toEqual(expect.arrayContaining(['before', 'after', 'later']))
    expect(await endOf(kafka, small)).toBe(1)
  })

  it.each([
    ['larger than any topic takes', { value: Buffer.alloc(3_000_000) }],
    ['for a partition that is not there', { partition: 99 }],
    ['with a header that is no text', { headers: { n: 5 as never } }],
  ])('rejects only the call with a record %s', async (_what, fault) => {
    const topic = await makeTopic(kafka)
    await using producer = await openProducer(kafka, { log })
    const good = producer.send([record(topic, 'good')])
    const bad = producer.send([{ ...record(topic, 'bad'), ...fault }])
    await expect(bad).rejects.toThrow()
    await good
    await producer.send([record(topic, 'next')])
    expect(producer.healthy).toBe(true)
  })

  describe('when the clock is two hours ahead', () => {
    afterEach(() => void jest.restoreAllMocks())
    const setClockAhead = () => {
      const right = Date.now
      return jest.spyOn(Date, 'now').mockImplementation(() => right() + 2 * 3_600_000)
    }

    it('sends to our topics, which the broker stamps by its own clock', async () => {
      const [spec] = topicTable([])
      const topic = await makeTopic(kafka, { config: spec?.config ?? {} })
      await using producer = await openProducer(kafka, { log })
      setClockAhead()
      await producer.send([record(topic, 'ahead')])
      const [message] = await readUntil(kafka, topic, (read) => read.length === 1)
      jest.restoreAllMocks()
      expect(Math.abs(Number(message?.timestamp) - Date.now())).toBeLessThan(3_600_000)
    })

    it('retries until the clock is right if the broker refuses its timestamps', async () => {
      const topic = await makeTopic(kafka)
      await using producer = await openProducer(kafka, { log })
      await producer.send([record(topic, 'before')])
      const ahead = setClockAhead()
      const sent = producer.send([record(topic, 'ahead')])
      await until(() => !producer.healthy)
      ahead.mockRestore()
      await sent
      const read = await readUntil(kafka, topic, (got) => got.length >= 2)
      expect(read.map(({ value }) => String(value))).toEqual(['before', 'ahead'])
    })
  })

  it('rejects when Kafka is unreachable at the start', async () => {
    await expect(openProducer(testKafka('127.0.0.1:9'), { log })).rejects.toThrow()
  })

  it('refuses calls after it is closed', async () => {
    const topic = await makeTopic(kafka)
    const producer = await openProducer(kafka, { log })
    const pending = producer.send([record(topic, 'pending')])
    await producer[Symbol.asyncDispose]()
    await pending
    await expect(producer.send([record(topic, 'late')])).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    })
  })
})
