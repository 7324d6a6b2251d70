import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { endpointId } from '@surehook/contracts/ids'
import { deliveriesTopic, topicTable } from '@surehook/contracts/topics'
import { createKafka } from '@surehook/kafka/client/client'
import { partitionOf } from '@surehook/kafka/producer/partitioned/partition-of'
import { expectStatus } from '@surehook/scripts/client/call'
import type { Tenant } from '@surehook/scripts/client/tenant'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import { until } from '@surehook/testing/until'
import { type ClusteredStack, openKafkaCluster } from '../rehearsals/bad-days/kafka-cluster.ts'
import { askKafka } from '../support/ask-kafka.ts'
import { openWorldWithStack, type World } from '../support/world.ts'
import { groupsOnFirst, placeTopic } from './placed-topics.ts'

/** The same values as in the systems of other tests. */
const [partitions, delays] = [4, ['100ms', '200ms', '300ms', '400ms']]
/** A partition of `webhook.deliveries`. The first broker has all others. */
const unavailable = 3

let cluster: ClusteredStack
let world: World

beforeAll(async () => {
  // No other retry topics: their placement would be chance.
  const env = { WEBHOOK_RETRY_LADDER: delays.join(',') }
  world = await openWorldWithStack({ env }, async (dir) => {
    cluster = await openKafkaCluster(dir, 1)
    await placeTopics(cluster.kafkaBrokers.split(','))
    return cluster
  })
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

async function placeTopics(brokers: string[]): Promise<void> {
  const log = createLogger('test', 'silent')
  await askKafka(createKafka({ brokers, clientId: 'test', log }), async (admin) => {
    await placeTopic(admin, groupsOnFirst)
    for (const { name, partitions: number, config } of topicTable(delays)) {
      // Also of the retry topics, of which the group has committed nothing.
      const isOfJobs = name.startsWith(deliveriesTopic)
      const placement = Array.from(
        { length: number === 'main' ? partitions : 1 },
        (_, partition) => (isOfJobs && partition === unavailable ? [2, 3] : [1]),
      )
      await placeTopic(admin, { name, config, placement })
    }
  })
  await until(async () => String((await cluster.copiesOf(deliveriesTopic))[unavailable]) === '2,3')
}

/**
 * Opens a tenant with one endpoint, whose jobs are on the unavailable partition or on another one.
 */
async function openTenant({ isAway }: { isAway: boolean }) {
  const tenant = await world.tenant()
  await tenant.putTable('orders')
  let path = ''
  const isPlaced = () => {
    const { projectId, environment } = tenant
    const id = endpointId({ projectId, environment, url: world.receiver.url(path) })
    return (partitionOf(id, partitions) === unavailable) === isAway
  }
  do path = `/${randomUUID()}`
  while (!isPlaced())
  await tenant.subscribe(world.receiver.url(path))
  const received = () => world.receiver.receipts(path).length
  return { tenant, received }
}

/** Enough for each partition of `changes` to get some. */
const count = 40
async function insert(tenant: Tenant): Promise<void> {
  expectStatus(201, await tenant.rest('POST orders', Array(count).fill({ status: 'new' })))
}

it('a partition of jobs without its brokers delays no tenant on other partitions', async () => {
  const stuck = await openTenant({ isAway: true })
  const healthy = await openTenant({ isAway: false })
  await Promise.all([insert(stuck.tenant), insert(healthy.tenant)])
  await until(() => stuck.received() === count && healthy.received() === count)

  const [, second, third] = cluster.nodes
  await Promise.all([second?.kill('SIGKILL'), third?.kill('SIGKILL')])
  await until(async () => (await cluster.leaderOf(deliveriesTopic, unavailable)) < 0, {
    timeoutMs: 60_000,
  })
  for (let round = 2; round <= 4; round++) {
    await insert(stuck.tenant)
    await insert(healthy.tenant)
    await until(() => healthy.received() === round * count)
  }
  expect(stuck.received()).toBe(count)

  // A dispatcher that starts meanwhile does not wait for the partition either.
  const [dispatcher] = world.system.services['webhook-dispatcher']
  await dispatcher?.kill('SIGTERM')
  await dispatcher?.restart()
  await insert(healthy.tenant)
  await until(() => healthy.received() === 5 * count)
  expect(stuck.received()).toBe(count)

  await Promise.all([second?.restart(), third?.restart()])
  await until(() => stuck.received() === 4 * count, { timeoutMs: 90_000 })
  expect(healthy.received()).toBe(5 * count)
})
