import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { EnvironmentState } from '@surehook/contracts/events'
import { formatWalPosition, walPositionHeader } from '@surehook/contracts/wal-position'
import { type EventCodec, openEventCodec } from '@surehook/schemas/codec'
import { createMetrics } from '@surehook/service-kit/telemetry/metrics'
import { silent } from '@surehook/testing/database'
import { compacted, endOf, makeTopic, registryUrl, testKafka } from '@surehook/testing/kafka'
import { until } from '@surehook/testing/until'
import type { Kafka as KafkaJs } from 'kafkajs'
import { createKafka } from '../src/client/client.ts'
import { type EventProducer, openProducer } from '../src/producer/producer.ts'
import { openTopicView, type TopicViewOptions } from '../src/views/topic-view.ts'
import { limitConsumers } from './client-quota.ts'

const kafka = testKafka()
const log = silent
let producer: EventProducer
let codec: EventCodec

beforeAll(async () => {
  producer = await openProducer(kafka, { log })
  codec = await openEventCodec({ registryUrl })
})
afterAll(async () => producer[Symbol.asyncDispose]())

const state = (settings: string): EnvironmentState => ({
  projectId: 'shop',
  environment: 'master',
  settings,
  updatedAt: '2026-01-02T03:04:05.678Z',
  deletedAt: null,
  keyEpoch: 0,
  createdAt: null,
  changesFrom: null,
})

async function put(topic: string, key: string, settings: string | null, walPosition?: string) {
  const value = settings === null ? null : codec.environment.encode(state(settings))
  const headers = walPosition === undefined ? {} : { [walPositionHeader]: walPosition }
  await producer.send([{ topic, key, value, headers }])
}

async function openView(
  topics: string[],
  options: Partial<TopicViewOptions<EnvironmentState>> = {},
) {
  const states = new Map<string, string>()
  const history: string[] = []
  const view = await openTopicView<EnvironmentState>({
    kafka,
    codec: { ofTopic: () => codec.environment },
    topics,
    clientId: 'test',
    log,
    apply: (_topic, key, value) => {
      history.push(`${key}=${value?.settings ?? ''}`)
      if (value === null) states.delete(key)
      else states.set(key, value.settings)
    },
    ...options,
  })
  return { view, states, history, [Symbol.asyncDispose]: () => view[Symbol.asyncDispose]() }
}

describe('openTopicView', () => {
  it('starts with the existing records, including tombstones and later states', async () => {
    const topic = await makeTopic(kafka, { config: compacted })
    const other = await makeTopic(kafka, { config: compacted, partitions: 3 })
    await put(topic, 'a', '1')
    await put(topic, 'b', '1')
    await put(topic, 'a', '2')
    await put(topic, 'b', null)
    for (let n = 0; n < 20; n++) await put(other, `n${n}`, `${n}`)
    await using opened = await openView([topic, other])
    await opened.view.ready
    expect(opened.view.healthy).toBe(true)
    expect(opened.states.get('a')).toBe('2')
    expect(opened.states.has('b')).toBe(false)
    expect(opened.states.size).toBe(21)
  })

  it('skips earlier states that a relay repeats after newer ones and tombstones', async () => {
    const topic = await makeTopic(kafka, { config: compacted })
    const at = (lsn: bigint) => formatWalPosition({ systemId: '7412', timeline: '1' }, lsn)
    const changed = () => [put(topic, 'a', '1', at(10n)), put(topic, 'a', '2', at(30n))]
    await Promise.all(changed())
    await put(topic, 'b', '1', at(20n))
    await put(topic, 'b', null, at(40n))
    await using opened = await openView([topic])
    await opened.view.ready
    await Promise.all(changed())
    await put(topic, 'b', '1', at(20n))
    await opened.view.barrier()
    expect([...opened.states]).toEqual([['a', '2']])
    expect(opened.history.filter((entry) => entry === 'a=1' || entry === 'b=1')).toHaveLength(2)
    await put(topic, 'b', '3', at(50n))
    await opened.view.barrier()
    expect(opened.states.get('b')).toBe('3')
  })

  it('is ready on an empty topic', async () => {
    const topic = await makeTopic(kafka, { config: compacted })
    await using opened = await openView([topic])
    await opened.view.ready
    await opened.view.barrier()
    expect(opened.history).toEqual([])
  })

  it('closes without waiting for the answer to its fetch', async () => {
    const topic = await makeTopic(kafka, { config: compacted })
    const metrics = createMetrics('test')
    const brokers = [process.env['TEST_KAFKA_BROKERS'] ?? '']
    const counted = createKafka({ brokers, clientId: 'test', log, metrics })
    const opened = await openView([topic], { kafka: counted })
    // The next fetch begins as soon as one is answered.
    const isFetched = async () => (await metrics.registry.metrics()).includes('api="Fetch"')
    await until(isFetched)
    const startedAt = performance.now()
    await opened[Symbol.asyncDispose]()
    // A fetch without records waits for 2 s.
    expect(performance.now() - startedAt).toBeLessThan(1_500)
  })

  it('never misses a state that was acknowledged before the barrier', async () => {
    const topic = await makeTopic(kafka, { config: compacted })
    await using opened = await openView([topic])
    await opened.view.ready
    const missed: number[] = []
    for (let round = 0; round < 400; round++) {
      await put(topic, 'a', `${round}`)
      await opened.view.barrier()
      if (opened.states.get('a') !== `${round}`) missed.push(round)
    }
    expect(missed).toEqual([])
  })

  it('keeps that promise to concurrent callers', async () => {
    const topic = await makeTopic(kafka, { config: compacted })
    await using opened = await openView([topic])
    await opened.view.ready
    const writers = Array.from({ length: 20 }, async (_, writer) => {
      for (let round = 0; round < 30; round++) {
        await put(topic, `w${writer}`, `${round}`)
        await opened.view.barrier()
        expect(opened.states.get(`w${writer}`)).toBe(`${round}`)
      }
    })
    await Promise.all(writers)
  })

  it('passes a log whose last offsets have no readable records', async () => {
    const topic = await makeTopic(kafka, { config: compacted })
    await put(topic, 'a', '1')
    // The transaction marker uses an offset that no reader ever receives.
    const transactional = (kafka as KafkaJs).producer({
      transactionalId: topic,
      maxInFlightRequests: 1,
    })
    await transactional.connect()
    const transaction = await transactional.transaction()
    await transaction.send({
      topic,
      messages: [{ key: 'b', value: codec.environment.encode(state('1')) }],
    })
    await transaction.commit()
    // The broker writes the marker after its answer. Until then no reader gets the record.
    await until(async () => (await endOf(kafka, topic)) === 3)
    await using opened = await openView([topic])
    await opened.view.ready
    await opened.view.barrier()
    expect([...opened.states.keys()]).toEqual(['a', 'b'])

    const aborted = await transactional.transaction()
    await aborted.send({
      topic,
      messages: [{ key: 'c', value: codec.environment.encode(state('1')) }],
    })
    await aborted.abort()
    await until(async () => (await endOf(kafka, topic)) === 5)
    await transactional.disconnect()
    await opened.view.barrier()
    expect(opened.states.has('c')).toBe(false)
    await put(topic, 'd', '1')
    await opened.view.barrier()
    expect(opened.states.get('d')).toBe('1')
  })

  it('passes a log whose records were deleted', async () => {
    const topic = await makeTopic(kafka, { config: { 'cleanup.policy': 'compact,delete' } })
    await put(topic, 'a', '1')
    await put(topic, 'b', '1')
    const admin = kafka.admin()
    await admin.connect()
    await admin.fetchTopicOffsets(topic)
    await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: '2' }] })
    await admin.disconnect()
    await using opened = await openView([topic])
    await opened.view.ready
    await put(topic, 'c', '1')
    await opened.view.barrier()
    expect([...opened.states.keys()]).toEqual(['c'])
  })

  it('reports an undecodable value and continues', async () => {
    const topic = await makeTopic(kafka, { config: compacted })
    await put(topic, 'a', '1')
    await producer.send([{ topic, key: 'a', value: Buffer.from('poison') }])
    await put(topic, 'b', '1')
    const invalid: string[] = []
    await using opened = await openView([topic], {
      onInvalid: async ({ message, reason }) => {
        invalid.push(`${message.offset} ${message.value} ${reason}`)
      },
    })
    await opened.view.ready
    expect(invalid).toEqual(['1 poison Not in the Confluent wire format'])
    expect(opened.history).toEqual(['a=1', 'b=1'])
  })

  it('ends a barrier when its caller aborts', async () => {
    const topic = await makeTopic(kafka, { config: compacted })
    await using opened = await openView([topic])
    await expect(opened.view.barrier(AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone')
  })

  it('rejects with SERVICE_UNAVAILABLE when Kafka is unreachable', async () => {
    await using opened = await openView(['any'], { kafka: testKafka('127.0.0.1:9') })
    await expect(opened.view.barrier()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    expect(opened.view.healthy).toBe(false)
  })

  it('does not mistake delayed answers of a broker for the end of the log', async () => {
    const topic = await makeTopic(kafka, { config: compacted })
    const large = 'x'.repeat(50_000)
    await Promise.all(Array.from({ length: 24 }, (_, n) => put(topic, `${n}`, large)))
    const clientId = `slow-${topic}`
    await limitConsumers(clientId, 100_000)
    const brokers = [process.env['TEST_KAFKA_BROKERS'] ?? '']
    const slow = createKafka({ brokers, clientId, log })
    await using opened = await openView([topic], { kafka: slow })
    await opened.view.ready
    expect(opened.states.size).toBe(24)
  })
})
