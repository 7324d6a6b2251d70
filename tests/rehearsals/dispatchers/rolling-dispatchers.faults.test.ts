import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { endpointId } from '@surehook/contracts/ids'
import { deliveriesTopic } from '@surehook/contracts/topics'
import { createKafka } from '@surehook/kafka/client/client'
import type { Admin } from '@surehook/kafka/client/surface'
import { partitionOf } from '@surehook/kafka/producer/partitioned/partition-of'
import type { Tenant } from '@surehook/scripts/client/tenant'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import { until } from '@surehook/testing/until'
import { openWorldWithStack, payloadOf, type World } from '../../support/world.ts'
import { OwnershipWatch } from './ownership.ts'

/** One per partition: each restart moves one, and the others stay. */
const dispatchers = 4
const receivers = 24
const quietMs = 5_000
/** The pause between two changes. */
const pauseMs = 20

let world: World
let admin: Admin

beforeAll(async () => {
  world = await openWorldWithStack({ replicas: { 'webhook-dispatcher': dispatchers } })
  const brokers = [world.system.endpoints.kafkaBrokers]
  const log = createLogger('rehearsal', 'silent')
  admin = createKafka({ brokers, clientId: 'rehearsal', log }).admin()
  await admin.connect()
})
afterAll(async () => {
  await admin?.disconnect()
  await world?.[Symbol.asyncDispose]()
})

type Endpoint = { name: string; path: string; partition: number }

async function subscribeAll(tenant: Tenant): Promise<Endpoint[]> {
  await tenant.putTable('orders', { ref: 'text', lane: 'text' })
  const { topics } = await admin.fetchTopicMetadata({ topics: [deliveriesTopic] })
  const partitions = topics[0]?.partitions.length ?? 1
  const endpoints: Endpoint[] = []
  for (let n = 0; n < receivers; n++) {
    const [name, path] = [`lane-${n}`, `/lane-${n}-${randomUUID()}`]
    const url = world.receiver.url(path)
    await tenant.subscribe(url, { filter: { lane: name } })
    const { projectId, environment } = tenant
    const key = endpointId({ projectId, environment, url })
    endpoints.push({ name, path, partition: partitionOf(key, partitions) })
  }
  return endpoints
}

type TimedDelivery = { partition: number; sentAt: number; tookMs: number }

function deliveredTo(endpoints: readonly Endpoint[], sentAt: ReadonlyMap<string, number>) {
  return endpoints.flatMap(({ path, partition }) =>
    world.receiver.receipts(path).map((receipt): TimedDelivery => {
      const at = sentAt.get(String(payloadOf(receipt).record?.['ref'])) ?? receipt.at
      return { partition, sentAt: at, tookMs: receipt.at - at }
    }),
  )
}

function percentile(deliveries: readonly TimedDelivery[], part: number): number {
  const sorted = deliveries.map(({ tookMs }) => tookMs).toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

function describe(what: string, deliveries: readonly TimedDelivery[]): string {
  const at = (part: number) => `${percentile(deliveries, part)} ms`
  return `${what}: ${deliveries.length} deliveries, p50 ${at(0.5)}, p99 ${at(0.99)}`
}

it('a rolling restart of dispatchers does not delay partitions that stay', async () => {
  const tenant = await world.tenant()
  const endpoints = await subscribeAll(tenant)
  const watch = new OwnershipWatch(admin)
  const isSettled = () => watch.last?.members === dispatchers
  await until(isSettled, { timeoutMs: 60_000 })
  const sentAt = new Map<string, number>()
  const stop = new AbortController()
  const write = async (writer: number) => {
    for (let n = writer; !stop.signal.aborted; n += 2) {
      const ref = randomUUID()
      sentAt.set(ref, Date.now())
      await tenant.insert({ ref, lane: endpoints[n % receivers]?.name })
      await sleep(pauseMs)
    }
  }
  const writing = Promise.all([write(0), write(1)])
  await sleep(quietMs)
  const restarts: { from: number; until: number }[] = []
  for (const dispatcher of world.system.services['webhook-dispatcher']) {
    const from = Date.now()
    await dispatcher.restart()
    await until(isSettled, { timeoutMs: 60_000 })
    // A new member gets its partitions in a second rebalance.
    await sleep(3_000)
    restarts.push({ from, until: Date.now() })
  }
  stop.abort()
  await writing
  await until(() => deliveredTo(endpoints, sentAt).length >= sentAt.size, { timeoutMs: 60_000 })
  await watch.stop()
  const all = deliveredTo(endpoints, sentAt)
  const [first = { from: 0 }] = restarts
  const before = all.filter((delivery) => delivery.sentAt < first.from)
  const during = restarts.map((restart) => {
    const unmoved = watch.unmoved(restart.from, restart.until)
    const meanwhile = all.filter((d) => d.sentAt >= restart.from && d.sentAt < restart.until)
    return {
      stayed: meanwhile.filter(({ partition }) => unmoved.has(partition)),
      moved: meanwhile.filter(({ partition }) => !unmoved.has(partition)),
    }
  })
  const stayed = during.flatMap((restart) => restart.stayed)
  const lines = [
    describe('before', before),
    describe('during, partitions that stayed', stayed),
    describe(
      'during, partitions that moved',
      during.flatMap((restart) => restart.moved),
    ),
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
  expect(stayed.length).toBeGreaterThan(0)
  expect(all).toHaveLength(sentAt.size)
}, 600_000)
