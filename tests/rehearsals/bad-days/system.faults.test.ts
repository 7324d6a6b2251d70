import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import {
  attemptsTopic,
  changesTopic,
  deliveriesTopic,
  invalidTopic,
  topicTable,
} from '@surehook/contracts/topics'
import { createKafka } from '@surehook/kafka/client/client'
import { askPort } from '@surehook/scripts/lib/ports'
import { openReceiver } from '@surehook/scripts/receiver/receiver'
import { serviceNames } from '@surehook/scripts/system/service-catalog'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import { rawKafka } from '@surehook/testing/raw-kafka'
import { allReady } from '../../support/all-ready.ts'
import {
  type FaultWorld,
  openFaultWorld,
  undecidedAtMost,
} from '../../support/deliveries/fault-world.ts'
import { eventually } from '../../support/world.ts'

let world: FaultWorld

// The last delays leave time to renew a certificate before a delivery is given up.
const delays = ['100ms', '500ms', '2s', '5s']

beforeAll(async () => {
  world = await openFaultWorld({
    replicas: { 'webhook-dispatcher': 2, 'webhook-matcher': 2, 'data-api': 2, 'webhook-api': 2 },
    env: { WEBHOOK_RETRY_DELAYS: delays.join(',') },
  })
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

it('when Redis forgets everything, no delivery is lost or repeated', async () => {
  const port = Number(new URL(world.system.endpoints.redisUrl).port)
  await world.duringLoad({ cause: 'Redis flushed', changes: 600 }, async () => {
    expect(String(await askPort(port, 'FLUSHALL\r\n'))).toBe('+OK\r\n')
  })
})

it('when replicas are killed during a rolling restart of everything, nothing is lost', async () => {
  const { services } = world.system
  const load = { cause: 'rolling restart, replicas killed', changes: 300, goesOn: true }
  await world.duringLoad({ ...load, mayRepeat: undecidedAtMost }, async () => {
    for (const service of serviceNames) {
      const [first, second] = services[service]
      const restarted = first?.restart()
      await second?.kill('SIGKILL')
      await restarted
      await second?.restart()
    }
  })
  await allReady(world.system)
})

it('an expired certificate of a receiver gives errors of class tls; after renewal nothing is lost', async () => {
  const expired = await world.authority.issue({ notAfter: new Date(Date.now() - 60_000) })
  await using receiver = await openReceiver(expired)
  const tenant = await world.tenant()
  await tenant.putTable('orders')
  const { id } = await tenant.subscribe(receiver.url('/expired'))
  await tenant.insert({ status: 'new' })
  const [failed] = await eventually(
    () => tenant.deliveries(id),
    ([delivery]) => delivery?.status === 'retrying',
  )
  expect(failed).toMatchObject({ lastError: 'tls' })
  expect(receiver.receipts('/expired')).toEqual([])
  receiver.present(world.certificates)
  const [delivered] = await eventually(
    () => tenant.deliveries(id),
    ([delivery]) => delivery?.status === 'delivered',
  )
  expect(delivered?.id).toBe(failed?.id)
  expect(receiver.receipts('/expired')).toHaveLength(1)
})

/**
 * Messages that no producer of the platform sends. The second one names a schema that the registry
 * does not have.
 */
const poison = [
  Buffer.from('this is no message of ours'),
  Buffer.from([0, 0x7f, 0xff, 0xff, 0xff, 1, 2, 3]),
  Buffer.alloc(0),
]

it('poisoned messages on every topic are put aside, and delay no other message', async () => {
  const { kafkaBrokers } = world.system.endpoints
  const log = createLogger('poison', 'silent')
  const kafka = createKafka({ brokers: [kafkaBrokers], clientId: 'poison', log })
  const admin = kafka.admin()
  const producer = rawKafka(kafka).producer()
  await Promise.all([admin.connect(), producer.connect()])
  const existing = await admin.listTopics()
  const sizeOf = async (topic: string) => {
    if (!existing.includes(topic)) return 0
    const ends = await admin.fetchTopicOffsets(topic)
    return ends.reduce((sum, { high }) => sum + Number(high), 0)
  }
  const topics = topicTable(delays)
    .map(({ name }) => name)
    .filter((name) => !name.endsWith('.invalid'))
  const key = randomUUID()
  await producer.sendBatch({
    topicMessages: topics.map((topic) => ({
      topic,
      messages: poison.map((value) => ({ key, value })),
    })),
  })
  const isRead = (lag: Record<string, number>) => Object.values(lag).every((left) => left === 0)
  await eventually(() => world.audit.lag(), isRead)
  const refused = await Promise.all(
    topics.map(async (topic) => [invalidTopic(topic), await sizeOf(invalidTopic(topic))] as const),
  )
  process.stdout.write(`poisoned: ${JSON.stringify(Object.fromEntries(refused))}\n`)
  const ofGroups = { [changesTopic]: 1, [attemptsTopic]: 1, [deliveriesTopic]: 2 + delays.length }
  for (const [topic, read] of Object.entries(ofGroups)) {
    expect(await sizeOf(invalidTopic(topic))).toBeGreaterThanOrEqual(read * poison.length)
  }
  await Promise.all([admin.disconnect(), producer.disconnect()])
  // After a restart, views read the messages again from the beginning.
  const [matcher] = world.system.services['webhook-matcher']
  await matcher?.restart()
  await allReady(world.system)
  const tenant = await world.tenant()
  await tenant.putTable('orders')
  await tenant.subscribe(world.receiver.url('/after-poison'))
  for (let n = 0; n < 20; n++) await tenant.insert({ n })
  await world.receiver.waitFor('/after-poison', 20)
})
