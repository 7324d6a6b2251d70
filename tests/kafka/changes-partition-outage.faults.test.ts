import { afterAll, beforeAll, expect, it } from '@jest/globals'
import type { Replay } from '@surehook/contracts/http/webhooks/log'
import { changesTopic, topicTable } from '@surehook/contracts/topics'
import { createKafka } from '@surehook/kafka/client/client'
import { expectStatus } from '@surehook/scripts/client/call'
import { openStream, type StreamClient } from '@surehook/scripts/client/stream'
import type { Tenant } from '@surehook/scripts/client/tenant'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import { until } from '@surehook/testing/until'
import { type ClusteredStack, openKafkaCluster } from '../rehearsals/bad-days/kafka-cluster.ts'
import { askKafka } from '../support/ask-kafka.ts'
import { untilAnswered } from '../support/until-answered.ts'
import { openWorldWithStack, type World } from '../support/world.ts'
import { groupsOnFirst, placeTopic } from './placed-topics.ts'

/** The same values as in the systems of other tests. */
const [partitions, delays] = [4, ['100ms', '200ms', '300ms', '400ms']]
/** A partition of `changes`. The first broker has all others. */
const unavailable = 3
/** Enough for the first batch of a replay, from one partition, to hold up the next batch. */
const count = 200

let cluster: ClusteredStack
let world: World

beforeAll(async () => {
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
      const placement = Array.from(
        { length: number === 'main' ? partitions : 1 },
        (_, partition) => (name === changesTopic && partition === unavailable ? [2, 3] : [1]),
      )
      await placeTopic(admin, { name, config, placement })
    }
  })
  await until(async () => String((await cluster.copiesOf(changesTopic))[unavailable]) === '2,3')
}

async function insert(tenant: Tenant, n: number): Promise<void> {
  expectStatus(201, await tenant.rest('POST orders', Array(count).fill({ status: `${n}` })))
}

const statusesOf = ({ events }: StreamClient) =>
  events.map(({ data }) => (JSON.parse(data) as { record: { status: string } }).record.status)

async function openTenant() {
  const tenant = await world.tenant()
  await tenant.putTable('orders')
  const ids = await Promise.all(
    ['/orders', '/again'].map((path) => tenant.subscribe(world.receiver.url(path))),
  )
  const from = new Date(Date.now() - 3_600_000).toISOString()
  const askReplay = (id: string, to = new Date().toISOString()) =>
    tenant.webhooks<{ replayId: string }>(`POST /${id}/replay`, { from, until: to })
  const shown = async (id: string, replayId: string) =>
    expectStatus(200, await tenant.webhooks<Replay>(`GET /${id}/replays/${replayId}`)).body
  return { tenant, ids: ids.map(({ id }) => id), askReplay, shown }
}

async function loseLeader(): Promise<() => Promise<unknown>> {
  const [, second, third] = cluster.nodes
  await Promise.all([second?.kill('SIGKILL'), third?.kill('SIGKILL')])
  await until(async () => (await cluster.leaderOf(changesTopic, unavailable)) < 0, {
    timeoutMs: 60_000,
  })
  return () => Promise.all([second?.restart(), third?.restart()])
}

it('a partition of changes without its brokers refuses only replays, and costs no change', async () => {
  const { tenant, ids, askReplay, shown } = await openTenant()
  const [id = '', other = ''] = ids
  const received = (path: string) => world.receiver.receipts(path).length
  await insert(tenant, 1)
  await until(() => received('/orders') === count && received('/again') === count)
  // Without it the replay waits after its first batch.
  const [dispatcher] = world.system.services['webhook-dispatcher']
  await dispatcher?.kill('SIGTERM')
  const { replayId } = expectStatus(202, await askReplay(id)).body
  await until(async () => (await shown(id, replayId)).deliveries > 0)

  const restart = await loseLeader()
  const api = `${world.system.baseUrl}/gw`
  const query = '?table=orders'
  using fromNow = await openStream(api, tenant, { query })
  using fromBefore = await openStream(api, tenant, { query: `${query}&from=1h` })
  expect([fromNow.status, fromBefore.status]).toEqual([200, 200])
  const input = { table: 'orders', events: ['INSERT'], select: ['status'] }
  expectStatus(200, await tenant.webhooks('POST /preview', input))
  const refused = expectStatus(503, await askReplay(other))
  expect(refused.headers.get('retry-after')).toBe('1')
  await dispatcher?.restart()
  const counts = { streamed: 0, replayed: 0 }
  const isReplayed = async () => {
    counts.streamed = fromBefore.events.length
    counts.replayed = (await shown(id, replayId)).deliveries
    return counts.streamed > 0 && counts.replayed === counts.streamed
  }
  await until(isReplayed, { what: () => JSON.stringify(counts), timeoutMs: 25_000 })
  expect((await shown(id, replayId)).state).toBe('running')
  const beforeSecond = new Date().toISOString()
  await insert(tenant, 2)
  await fromNow.arrived(1)
  // Its position in the partition without a leader is not known yet.
  using resumed = await openStream(api, tenant, { query, lastEventId: fromNow.lastEventId })
  expect(resumed.status).toBe(200)
  const before = fromNow.events.length

  const restarted = restart()
  // As early as possible: a new leader does not show all of its log at once.
  const replayed = await untilAnswered(
    async () => expectStatus(202, await askReplay(other, beforeSecond)).body,
  )
  await restarted
  await until(() => fromNow.events.length >= count && fromBefore.events.length >= 2 * count)
  await until(() => resumed.events.length + before >= count)
  expect(statusesOf(fromNow)).toEqual(Array(count).fill('2'))
  expect(statusesOf(fromBefore).toSorted()).toEqual([
    ...Array(count).fill('1'),
    ...Array(count).fill('2'),
  ])
  const replays = () => Promise.all([shown(id, replayId), shown(other, replayed.replayId)])
  await until(async () => (await replays()).every(({ state }) => state === 'done'))
  expect((await replays()).map(({ deliveries }) => deliveries)).toEqual([count, count])
  await until(() => received('/orders') === 3 * count && received('/again') === 3 * count)
})
