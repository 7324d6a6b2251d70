import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { silent } from '@surehook/testing/database'
import { makeTopic, testKafka } from '@surehook/testing/kafka'
import { until } from '@surehook/testing/until'
import { type EventProducer, openProducer } from '../src/producer/producer.ts'
import { WindowedConsumer } from '../src/windowed/windowed-consumer.ts'
import type { WindowedMessage } from '../src/windowed/windowed-message.ts'
import { HeldCommits } from './held-commits.ts'
import { handlerOf } from './support/handler.ts'

const kafka = testKafka()
let producer: EventProducer

beforeAll(async () => {
  producer = await openProducer(kafka, { log: silent })
})
afterAll(async () => producer[Symbol.asyncDispose]())

it('starts nothing while finished work cannot be committed, and continues when it can', async () => {
  const topic = await makeTopic(kafka, { partitions: 4 })
  const commits = new HeldCommits()
  const waiting: WindowedMessage[] = []
  let finished = 0
  await using consumer = new WindowedConsumer({
    kafka: commits.kafka,
    groupId: `group-${topic}`,
    topics: [topic],
    window: { messages: 1_000, bytes: 1_000_000 },
    commitIntervalMs: 5,
    drainMs: 1_000,
    handler: handlerOf((message) => waiting.push(message)),
    log: silent,
  })
  await consumer.start()
  const work = async () => {
    await producer.send([{ topic, key: String(finished), value: Buffer.from('a job') }])
    while (consumer.mayStart && waiting.length > 0) {
      waiting.shift()?.finish()
      finished++
    }
  }
  await until(async () => work().then(() => finished >= 20))
  commits.hold()
  await until(async () => work().then(() => !consumer.mayStart))
  const before = finished
  // Messages that arrive from now on wait.
  await until(async () => work().then(() => waiting.length >= 20))
  expect(finished).toBe(before)
  commits.release()
  await until(async () => work().then(() => waiting.length === 0 && finished > before + 20))
})
