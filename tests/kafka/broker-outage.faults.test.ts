import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { createKafka } from '@surehook/kafka/client/client'
import { type EventProducer, openProducer } from '@surehook/kafka/producer/producer'
import { ensureTopics } from '@surehook/kafka/topics/topics'
import { openTopicView } from '@surehook/kafka/views/topic-view'
import { startStack } from '@surehook/scripts/containers/start-stack'
import type { Stack } from '@surehook/scripts/local-stack/stack'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import { followTopics } from '@surehook/testing/follow-topics'
import { until } from '@surehook/testing/until'

const log = createLogger('test', 'silent')
const dir = `${import.meta.dirname}/../../.local/test-stacks/broker-outage-${process.pid}`
let stack: Stack
let kafka: ReturnType<typeof createKafka>

beforeAll(async () => {
  stack = await startStack({ dir, only: ['kafka'] })
  kafka = createKafka({ brokers: [stack.kafkaBrokers], clientId: 'test', log })
  const one = { partitions: 'one' as const, config: { 'cleanup.policy': 'compact' } }
  await ensureTopics(
    kafka,
    [
      { name: 'events', partitions: 'main', config: {} },
      { name: 'state', ...one },
    ],
    { mainPartitions: 4, replicationFactor: 1, log, signal: AbortSignal.timeout(120_000) },
  )
})

afterAll(async () => {
  await stack.stop()
  await rm(dir, { recursive: true, force: true })
})

/** Writes until it is stopped. Returns how many records of each key were acknowledged. */
function writeAll(producer: EventProducer, stop: AbortSignal): Promise<number[]> {
  const write = async (_: unknown, writer: number) => {
    let n = 0
    for (; !stop.aborted; n++) {
      await producer.send([{ topic: 'events', key: `${writer}`, value: Buffer.from(`${n}`) }])
    }
    return n
  }
  return Promise.all(Array.from({ length: 20 }, write))
}

/**
 * Checks that first arrivals are 0, 1, 2, … for every key. Returns how many records were repeated.
 */
function repetitionsOf(received: readonly { key: string; n: number }[]): number {
  const next = new Map<string, number>()
  let repetitions = 0
  for (const { key, n } of received) {
    const expected = next.get(key) ?? 0
    expect(n).toBeLessThanOrEqual(expected)
    if (n === expected) next.set(key, n + 1)
    else repetitions += 1
  }
  return repetitions
}

async function killBroker(downMs: number): Promise<void> {
  await stack.processes.kafka?.kill('SIGKILL')
  await new Promise((resolve) => setTimeout(resolve, downMs))
  await stack.processes.kafka?.restart()
}

/** Values are plain text, because the codec is not tested here. */
const text = {
  encode: (value: string) => Buffer.from(value),
  decode: (bytes: Buffer) => `${bytes}`,
}

describe('a broker that is killed again and again', () => {
  it('costs no acknowledged record, no order and no barrier', async () => {
    await using producer = await openProducer(kafka, { log })
    const received: { key: string; n: number }[] = []
    await using consumer = followTopics({
      kafka,
      topics: ['events'],
      log,
      take: ({ key, value }) => {
        received.push({ key: `${key}`, n: Number(value) })
      },
    })
    const states = new Map<string, number>()
    await using view = await openTopicView({
      kafka,
      codec: { ofTopic: () => text as never },
      topics: ['state'],
      clientId: 'outage',
      log,
      apply: (_topic, key, value) => states.set(key, Number(value)),
    })
    await Promise.all([consumer.ready, view.ready])

    const stop = new AbortController()
    const writing = writeAll(producer, stop.signal)
    const missed: number[] = []
    const watching = (async () => {
      for (let n = 0; !stop.signal.aborted; n++) {
        await producer.send([{ topic: 'state', key: 'a', value: Buffer.from(`${n}`) }])
        const passed = await view.barrier().then(
          () => true,
          () => false,
        )
        if (passed && (states.get('a') ?? -1) < n) missed.push(n)
      }
    })()
    for (const downMs of [0, 1_500, 6_000]) {
      const killing = killBroker(downMs)
      // A shorter outage may end before the producer asks whether Kafka answers.
      if (downMs > 4_000) await until(() => !producer.healthy)
      await killing
      const before = received.length
      await until(() => received.length > before + 500)
      await until(() => producer.healthy && consumer.healthy && view.healthy)
    }
    stop.abort()
    const acknowledged = (await writing).reduce((sum, n) => sum + n, 0)
    await watching
    await until(() => new Set(received.map(({ key, n }) => `${key}/${n}`)).size === acknowledged)
    const repetitions = repetitionsOf(received)
    process.stdout.write(`${acknowledged} acknowledged, ${repetitions} received again, 0 lost\n`)
    expect(missed).toEqual([])
  })

  it('may be down while everything closes', async () => {
    const producer = await openProducer(kafka, { log })
    const consumer = followTopics({
      kafka,
      topics: ['events'],
      log,
      take: () => undefined,
    })
    await consumer.ready
    await stack.processes.kafka?.kill('SIGKILL')
    const pending = producer.send([{ topic: 'events', key: 'k', value: Buffer.from('v') }])
    const refused = pending.catch((err: unknown) => err)
    await until(() => !producer.healthy)
    const startedAt = Date.now()
    await Promise.all([producer[Symbol.asyncDispose](), consumer[Symbol.asyncDispose]()])
    expect(await refused).toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    expect(Date.now() - startedAt).toBeLessThan(8_000)
    await stack.processes.kafka?.restart()
  })
})
