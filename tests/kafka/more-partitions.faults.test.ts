import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { endpointId } from '@surehook/contracts/ids'
import { changesTopic } from '@surehook/contracts/topics'
import { createKafka } from '@surehook/kafka/client/client'
import { fetchGroupCommits } from '@surehook/kafka/offsets/group-commits'
import { partitionOf } from '@surehook/kafka/producer/partitioned/partition-of'
import { unusedPartitions } from '@surehook/kafka/topics/grow-topics'
import type { Tenant } from '@surehook/scripts/client/tenant'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import { until } from '@surehook/testing/until'
import { askKafka } from '../support/ask-kafka.ts'
import { surehook } from '../support/commands/operator-cli.ts'
import { type FaultWorld, openFaultWorld } from '../support/deliveries/fault-world.ts'
import { closeLedger } from '../support/deliveries/ledger.ts'
import { startLoad } from '../support/deliveries/load.ts'
import { type Subscriber, subscribeTwice } from '../support/deliveries/subscribers.ts'

const before = 2
const succeeded = { code: 0, notes: '', out: '' }
const delays = '100ms,200ms,300ms,400ms'
const shortestDelayMs = 100

let world: FaultWorld
beforeAll(async () => {
  world = await openFaultWorld({
    replicas: { 'webhook-matcher': 2, 'webhook-dispatcher': 2 },
    env: { KAFKA_PARTITIONS: String(before), WEBHOOK_RETRY_DELAYS: delays },
  })
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

function addPartitions(count: number) {
  const { kafkaBrokers, schemaRegistryUrl } = world.system.endpoints
  const env = { KAFKA_BROKERS: kafkaBrokers, SCHEMA_REGISTRY_URL: schemaRegistryUrl }
  const variables = { ...env, WEBHOOK_RETRY_DELAYS: delays }
  return surehook(variables, 'admin', 'partitions', String(count), '--json')
}

/** Subscribes until deliveries that keep the order of a record have to move. */
async function subscribe(tenant: Tenant, after: number): Promise<Subscriber[]> {
  const subscribers: Subscriber[] = []
  const { projectId, environment } = tenant
  const moves = ({ path }: Subscriber) => {
    const id = endpointId({ projectId, environment, url: world.receiver.url(path) })
    return partitionOf(id, before) !== partitionOf(id, after)
  }
  while (subscribers.filter((each) => each.own !== undefined && moves(each)).length < 2)
    subscribers.push(...(await subscribeTwice(tenant, world.receiver, { hasPolicy: true })))
  return subscribers
}

function matcherCommits() {
  const log = createLogger('tests', 'silent')
  const kafka = createKafka({
    ...{ brokers: world.system.endpoints.kafkaBrokers.split(','), clientId: 'tests', log },
  })
  const of = { groupId: 'webhook-matcher', topics: [changesTopic] }
  return askKafka(kafka, (admin) => fetchGroupCommits(admin, of))
}

/** How many changes of the partitions `from` to `to` were matched. */
async function matched(from: number, to: number): Promise<number> {
  const commitOf = await matcherCommits()
  const offsets = range(from, to).map((partition) => commitOf(changesTopic, partition).offset)
  return offsets.reduce((sum, offset) => sum + Math.max(0, offset), 0)
}

function allAreUsed(partitions: number) {
  return until(async () => unusedPartitions(partitions, await matcherCommits()).length === 0, {
    what: `webhook-matcher uses ${partitions} partitions`,
    timeoutMs: 120_000,
  })
}

const range = (from: number, to: number) => [...Array(to).keys()].slice(from)

/** Attempts that came earlier than the shortest delay after the attempt before. */
function early({ path }: Subscriber): string[] {
  const last = new Map<string, number>()
  return world.receiver.receipts(path).flatMap(({ headers, at }) => {
    const id = headers['webhook-id'] ?? ''
    const isEarly = at - (last.get(id) ?? 0) < shortestDelayMs
    last.set(id, at)
    return isEarly ? [id] : []
  })
}

it('adds partitions under load: none is lost or early, each record keeps its order', async () => {
  const after = 8
  const tenant = await world.tenant()
  const subscribers = await subscribe(tenant, after)
  const load = startLoad(tenant, { concurrency: 4, pauseMs: 25 })
  await load.reached(100)
  // A matcher that starts late takes its partitions for added ones.
  await allAreUsed(before)
  for (const subscriber of subscribers) subscriber.away = true
  for (const { id, name } of subscribers)
    await until(async () => ((await world.audit.statuses(id)).paused ?? 0) > 30, { what: name })

  const grown = await addPartitions(after)
  expect({ ...grown, out: grown.code === 0 ? '' : grown.out }).toMatchObject(succeeded)
  expect((await addPartitions(after)).json()).toEqual({ partitions: after, grown: [] })
  const tooSoon = await addPartitions(2 * after)
  expect(tooSoon.code).toBe(1)
  expect(tooSoon.out).toContain(`webhook-matcher does not use all ${after} partitions`)
  const fewer = await addPartitions(after - 1)
  expect(fewer.code).toBe(1)
  expect(fewer.out).toContain('cannot remove partitions')

  for (const subscriber of subscribers.slice(1)) subscriber.away = false
  await until(async () => (await matched(before, after)) > 100, {
    what: 'changes in new partitions',
    timeoutMs: 120_000,
  })
  await allAreUsed(after)
  load.stop()
  const written = await load.done
  for (const subscriber of subscribers) subscriber.away = false
  const { audit, receiver } = world
  await closeLedger({ audit, receiver, subscribers, written })
  expect(subscribers.flatMap(early)).toEqual([])
})
