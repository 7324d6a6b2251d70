import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { changeKey } from '@surehook/contracts/ids'
import { openEventCodec } from '@surehook/schemas/codec'
import { Kafka, type KafkaMessage, logLevel } from 'kafkajs'
import { InvalidChangeError, type NewChange, openChangePublisher } from '../src/index.ts'

const brokers = [process.env['TEST_KAFKA_BROKERS'] ?? '']
const schemaRegistryUrl = process.env['TEST_REGISTRY_URL'] ?? ''
const kafka = new Kafka({ brokers, logLevel: logLevel.NOTHING })
const admin = kafka.admin()
const numPartitions = 4

const change = (recordId: string, record: object = {}): NewChange => ({
  projectId: 'shop',
  environment: 'master',
  table: 'orders',
  recordId,
  operation: 'INSERT',
  record: { id: recordId, ...record },
})

const openPublisher = (topic: string) =>
  openChangePublisher({ brokers, schemaRegistryUrl, source: 'billing', topic })

async function newTopic(): Promise<string> {
  const topic = `test-changes-${randomUUID()}`
  await admin.createTopics({ topics: [{ topic, numPartitions }], waitForLeaders: false })
  // The wait of kafkajs ends with an error if the broker does not know the topic at once.
  while (!(await hasLeaders(topic))) await sleep(50)
  return topic
}

async function hasLeaders(topic: string): Promise<boolean> {
  const { topics } = await admin.fetchTopicMetadata().catch(() => ({ topics: [] }))
  const partitions = topics.find(({ name }) => name === topic)?.partitions ?? []
  return partitions.filter(({ leader }) => leader >= 0).length === numPartitions
}

/** Reads `count` messages of `topic` from its beginning. */
async function read(
  topic: string,
  count: number,
): Promise<(KafkaMessage & { partition: number })[]> {
  const consumer = kafka.consumer({ groupId: `test-${randomUUID()}`, maxWaitTimeInMs: 100 })
  const messages: (KafkaMessage & { partition: number })[] = []
  const all = Promise.withResolvers<void>()
  await consumer.connect()
  await consumer.subscribe({ topics: [topic], fromBeginning: true })
  await consumer.run({
    eachMessage: async ({ message, partition }) => {
      messages.push({ ...message, partition })
      if (messages.length === count) all.resolve()
    },
  })
  await all.promise
  await consumer.disconnect()
  return messages
}

/** Returns which kafkajs functions differ in a process that has published a change. */
async function changedIn(...options: string[]): Promise<{ modules: number; changed: string[] }> {
  const host = `${import.meta.dirname}/fixtures/publishing-host.ts`
  const args = ['--conditions=source', host, await newTopic(), ...options]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return JSON.parse(stdout) as { modules: number; changed: string[] }
}

beforeAll(() => admin.connect())
afterAll(() => admin.disconnect())

describe('openChangePublisher', () => {
  it('publishes changes that follow the contract', async () => {
    const topic = await newTopic()
    await using publisher = await openPublisher(topic)
    const id = randomUUID()
    await publisher.publish([{ ...change('1', { total: 12.5 }), id, requestId: 'r-1' }])

    const codec = await openEventCodec({ registryUrl: schemaRegistryUrl })
    const [message] = await read(topic, 1)
    const event = await codec.change.decode(message?.value ?? Buffer.alloc(0))
    expect(message?.key?.toString()).toBe('shop/master/orders/1')
    expect(event).toMatchObject({ id, source: 'billing', requestId: 'r-1', operation: 'INSERT' })
    expect(JSON.parse(event.record)).toEqual({ id: '1', total: 12.5 })
  })

  it('keeps the order of concurrent calls and of large ones for every record', async () => {
    const topic = await newTopic()
    await using publisher = await openPublisher(topic)
    const calls = Array.from({ length: 60 }, (_, call) =>
      publisher.publish(
        Array.from({ length: 50 }, (_, n) =>
          change(`${n % 7}`, { call, n, text: 'x'.repeat(400) }),
        ),
      ),
    )
    await Promise.all(calls)

    const codec = await openEventCodec({ registryUrl: schemaRegistryUrl })
    const places = new Map<string, { at: number; partition: number }>()
    for (const { value, partition } of await read(topic, 3_000)) {
      const event = await codec.change.decode(value ?? Buffer.alloc(0))
      const { call, n } = JSON.parse(event.record) as { call: number; n: number }
      const before = places.get(changeKey(event)) ?? { at: -1, partition }
      expect(call * 50 + n).toBeGreaterThan(before.at)
      expect(partition).toBe(before.partition)
      places.set(changeKey(event), { at: call * 50 + n, partition })
    }
    expect(places.size).toBe(7)
  })

  it('sends nothing of a call with an invalid change', async () => {
    const topic = await newTopic()
    await using publisher = await openPublisher(topic)
    const refused = publisher.publish([change('1'), { ...change('2'), table: 'Orders!' }])
    await expect(refused).rejects.toThrow(InvalidChangeError)
    await expect(refused).rejects.toMatchObject({ violations: [{ field: '1.table' }] })
    await publisher.publish([change('3')])
    const [first] = await read(topic, 1)
    expect(first?.key?.toString()).toBe('shop/master/orders/3')
  })

  it('rejects when Kafka is unreachable', async () => {
    const opening = openChangePublisher({
      brokers: ['127.0.0.1:9'],
      schemaRegistryUrl,
      source: 'billing',
    })
    await expect(opening).rejects.toThrow()
  })

  it('leaves kafkajs unchanged unless patchKafkajs is set', async () => {
    const [left, mended] = await Promise.all([changedIn(), changedIn('patch')])
    expect(left.modules).toBeGreaterThan(100)
    expect(left.changed).toEqual([])
    expect(mended.changed.toSorted()).toEqual([
      'cluster/index.js 1.findBroker',
      'cluster/index.js 1.findGroupCoordinatorMetadata',
      'network/connectionPool.js 1.send',
      'network/requestQueue/index.js 1.destroy',
      'network/requestQueue/index.js 1.scheduleCheckPendingRequests',
      'network/requestQueue/index.js 1.scheduleRequestTimeoutCheck',
      'protocol/requests/produce/index.js 0.protocol',
    ])
  })
})
