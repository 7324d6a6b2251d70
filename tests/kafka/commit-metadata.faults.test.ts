import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { createKafka } from '@surehook/kafka/client/client'
import { openProducer } from '@surehook/kafka/producer/producer'
import { ensureTopics } from '@surehook/kafka/topics/topics'
import { WindowedConsumer, type WindowedMessage } from '@surehook/kafka/windowed/windowed-consumer'
import { startLocalStack } from '@surehook/scripts/local-stack/local-stack'
import type { Stack } from '@surehook/scripts/local-stack/stack'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import { createMetrics } from '@surehook/service-kit/telemetry/metrics'
import { until } from '@surehook/testing/until'

const log = createLogger('test', 'silent')
const dir = `${import.meta.dirname}/../../.local/test-stacks/commit-metadata-${process.pid}`
const [topic, groupId] = ['jobs', 'workers']
let stack: Stack
let kafka: ReturnType<typeof createKafka>

beforeAll(async () => {
  const kafkaSettings = { 'offset.metadata.max.bytes': '40' }
  stack = await startLocalStack({ dir, only: ['kafka'], kafkaSettings })
  kafka = createKafka({ brokers: [stack.kafkaBrokers], clientId: 'test', log })
  await ensureTopics(kafka, [{ name: topic, partitions: 'main', config: {} }], {
    ...{ mainPartitions: 2, replicationFactor: 1, log },
    signal: AbortSignal.timeout(120_000),
  })
})

afterAll(async () => {
  await stack.stop()
  await rm(dir, { recursive: true, force: true })
})

it("keeps its progress if metadata is refused, keeps others' metadata, and counts the refusals", async () => {
  const producer = await openProducer(kafka, { log })
  const value = Buffer.from('a job')
  await producer.send(Array.from({ length: 800 }, (_, n) => ({ topic, key: `key ${n}`, value })))
  await producer[Symbol.asyncDispose]()
  const metrics = createMetrics('test')
  const messages: WindowedMessage[] = []
  await using consumer = new WindowedConsumer({
    ...{ kafka, groupId, topics: [topic], metrics, log },
    window: { messages: 1_000, bytes: 1_000_000 },
    commitIntervalMs: 5,
    drainMs: 1_000,
    handler: { handle: (message) => messages.push(message), inFlight: 0, inFlightOf: () => 0 },
  })
  await consumer.start()
  await until(() => messages.length === 800)
  // The finished offsets above the position have many gaps on partition 0, and one on partition 1.
  const isFinished = ({ partition, offset }: WindowedMessage) =>
    offset < 100 || (partition === 0 ? offset % 3 === 0 : offset > 100)
  for (const message of messages) if (isFinished(message)) message.finish()
  const admin = kafka.admin()
  await admin.connect()
  await until(async () => {
    const [of] = await admin.fetchOffsets({ groupId, topics: [topic] })
    const at = of?.partitions.toSorted((a, b) => a.partition - b.partition) ?? []
    // kafkajs returns empty metadata as `null`.
    const isKept = at.map(({ metadata }) => (metadata ?? '') !== '')
    return at.every(({ offset }) => offset === '100') && isKept.join() === 'false,true'
  })
  await admin.disconnect()
  expect(consumer.mayStart).toBe(true)
  const exposition = await metrics.registry.metrics()
  expect(exposition).toMatch(
    /surehook_kafka_commit_failures_total\{group="workers",reason="metadata_too_large".*\} [1-9]/,
  )
})
