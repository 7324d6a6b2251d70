import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { createKafka } from '@surehook/kafka/client/client'
import { type EventProducer, openProducer } from '@surehook/kafka/producer/producer'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import { rawKafka } from '@surehook/testing/raw-kafka'
import { until } from '@surehook/testing/until'
import { type ClusteredStack, openKafkaCluster } from '../rehearsals/bad-days/kafka-cluster.ts'
import { askKafka } from '../support/ask-kafka.ts'
import { groupsOnFirst, placeTopic } from './placed-topics.ts'

const log = createLogger('test', 'silent')
const dir = `${import.meta.dirname}/../../.local/test-stacks/partition-outage-${process.pid}`
const topic = 'placed'
/**
 * Without the second and third broker: one partition is unaffected, one lacks a copy, and one has
 * no leader.
 */
const placement = [[1], [1, 2], [2, 3]]
const healthy = 0
const unavailable = [1, 2]

let cluster: ClusteredStack
let kafka: ReturnType<typeof createKafka>

beforeAll(async () => {
  cluster = await openKafkaCluster(dir, 1)
  const brokers = cluster.kafkaBrokers.split(',')
  kafka = createKafka({ brokers, clientId: 'test', log })
  await askKafka(kafka, async (admin) => {
    await placeTopic(admin, groupsOnFirst)
    await placeTopic(admin, { name: topic, placement })
  })
  await until(async () => (await cluster.copiesOf(topic)).join('|') === placement.join('|'))
})

afterAll(async () => {
  await cluster?.stop()
  await rm(dir, { recursive: true, force: true })
})

type Writers = { acknowledged: number[]; done: Promise<void> }

/** Starts three writers per partition, each with one record in flight. */
function writeTo(producer: EventProducer, stop: AbortSignal): Writers {
  const acknowledged = placement.map(() => 0)
  const write = async (partition: number, writer: number) => {
    for (let n = 0; !stop.aborted; n++) {
      await producer.send([{ topic, partition, key: `${writer}`, value: Buffer.from(`${n}`) }])
      acknowledged[partition] = (acknowledged[partition] ?? 0) + 1
    }
  }
  const writers = placement.flatMap((_, partition) => [0, 1, 2].map((n) => write(partition, n)))
  return { acknowledged, done: Promise.all(writers).then(() => undefined) }
}

/** The records of each writer on each partition, in order of arrival. */
async function openReader() {
  const received = placement.map(() => new Map<string, number[]>())
  const count = (partition: number) =>
    [...(received[partition]?.values() ?? [])].reduce((sum, { length }) => sum + length, 0)
  const consumer = rawKafka(kafka).consumer({ groupId: 'reader', maxWaitTimeInMs: 100 })
  await consumer.connect()
  await consumer.subscribe({ topics: [topic], fromBeginning: true })
  await consumer.run({
    eachBatch: async ({ batch: { partition, messages } }) => {
      for (const { key, value } of messages) {
        const ofWriter = received[partition]?.get(`${key}`) ?? []
        received[partition]?.set(`${key}`, [...ofWriter, Number(value)])
      }
    },
  })
  return { received, count, [Symbol.asyncDispose]: () => consumer.disconnect() }
}

describe('two of three brokers that are killed', () => {
  it('block only the partitions that need them', async () => {
    await using producer = await openProducer(kafka, { log })
    await using reader = await openReader()
    const stop = new AbortController()
    const { acknowledged, done } = writeTo(producer, stop.signal)
    const progress = async (partitions: readonly number[], by: number) => {
      const before = partitions.map((partition) => reader.count(partition))
      const isPast = (partition: number, n: number) =>
        reader.count(partition) >= (before[n] ?? 0) + by
      await until(() => partitions.every(isPast), { timeoutMs: 90_000 })
    }
    await progress([0, 1, 2], 20)

    const [, second, third] = cluster.nodes
    await Promise.all([second?.kill('SIGKILL'), third?.kill('SIGKILL')])
    await until(async () => (await cluster.leaderOf(topic, 2)) < 0, { timeoutMs: 60_000 })
    await progress([healthy], 300)
    expect(producer.healthy).toBe(true)
    const stuck = unavailable.map((partition) => acknowledged[partition])
    await progress([healthy], 300)
    expect(unavailable.map((partition) => acknowledged[partition])).toEqual(stuck)

    await Promise.all([second?.restart(), third?.restart()])
    await progress(unavailable, 100)
    stop.abort()
    await done
    await until(() => placement.every((_, p) => reader.count(p) >= (acknowledged[p] ?? 0)), {
      timeoutMs: 60_000,
    })
    for (const ofPartition of reader.received) {
      for (const values of ofPartition.values()) expect(values).toEqual(values.map((_, n) => n))
    }
    process.stdout.write(`${acknowledged.join(', ')} acknowledged of each partition, 0 lost\n`)
  })
})
