import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { endpointId } from '@surehook/contracts/ids'
import { partitionOf } from '@surehook/kafka/producer/partitioned/partition-of'
import type { Tenant } from '@surehook/scripts/client/tenant'
import type { ServiceName } from '@surehook/scripts/system/service-catalog'
import { until } from '@surehook/testing/until'
import {
  type FaultWorld,
  openFaultWorld,
  undecidedAtMost,
} from '../support/deliveries/fault-world.ts'
import { Growth } from '../support/deliveries/growth.ts'
import { closeLedger } from '../support/deliveries/ledger.ts'
import { startLoad } from '../support/deliveries/load.ts'
import { type Subscriber, subscribeTwice } from '../support/deliveries/subscribers.ts'

const before = 2
const after = 8
const succeeded = { code: 0, notes: '', out: '' }
const delays = { WEBHOOK_RETRY_DELAYS: '100ms,200ms,300ms,400ms' }
const shortestDelayMs = 100

let world: FaultWorld
let growth: Growth
beforeAll(async () => {
  world = await openFaultWorld({
    replicas: { 'webhook-matcher': 2, 'webhook-dispatcher': 2 },
    env: { KAFKA_PARTITIONS: String(before), ...delays },
  })
  growth = new Growth(world, delays)
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

/** Subscribes until deliveries that keep the order of a record have to be rerouted. */
async function subscribe(tenant: Tenant, from: number, to: number): Promise<Subscriber[]> {
  const subscribers: Subscriber[] = []
  const { projectId, environment } = tenant
  const isRerouted = ({ path }: Subscriber) => {
    const id = endpointId({ projectId, environment, url: world.receiver.url(path) })
    return partitionOf(id, from) !== partitionOf(id, to)
  }
  while (subscribers.filter((each) => each.own !== undefined && isRerouted(each)).length < 2)
    subscribers.push(...(await subscribeTwice(tenant, world.receiver, { hasPolicy: true })))
  return subscribers
}

/** Waits until each subscriber has more than this many paused deliveries. */
async function allWait(subscribers: readonly Subscriber[], count: number): Promise<void> {
  for (const subscriber of subscribers) subscriber.away = true
  for (const { id, name } of subscribers)
    await until(async () => ((await world.audit.statuses(id)).paused ?? 0) > count, { what: name })
}

/** Kills all replicas of these services at once, and starts them again. */
async function kill(...services: ServiceName[]): Promise<void> {
  const replicas = services.flatMap((service) => world.system.services[service])
  await Promise.all(replicas.map((replica) => replica.kill('SIGKILL')))
  await Promise.all(replicas.map((replica) => replica.restart()))
}

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
  const tenant = await world.tenant()
  const subscribers = await subscribe(tenant, before, after)
  const load = startLoad(tenant, { concurrency: 4, pauseMs: 25 })
  await load.reached(100)
  // A matcher that starts late takes its partitions for added ones.
  await growth.allAreUsed(before)
  await allWait(subscribers, 30)

  const grown = await growth.add(after)
  expect({ ...grown, out: grown.code === 0 ? '' : grown.out }).toMatchObject(succeeded)
  expect((await growth.add(after)).json()).toEqual({ partitions: after, grown: [] })
  const tooSoon = await growth.add(2 * after)
  expect(tooSoon.code).toBe(1)
  expect(tooSoon.out).toContain(`webhook-matcher does not use all ${after} partitions`)
  const fewer = await growth.add(after - 1)
  expect(fewer.code).toBe(1)
  expect(fewer.out).toContain('cannot remove partitions')

  for (const subscriber of subscribers.slice(1)) subscriber.away = false
  await until(async () => (await growth.matched(before, after)) > 100, {
    what: 'changes in new partitions',
    timeoutMs: 120_000,
  })
  await growth.allAreUsed(after)
  await growth.isFinished(after)
  load.stop()
  const written = await load.done
  for (const subscriber of subscribers) subscriber.away = false
  const { audit, receiver } = world
  await closeLedger({ audit, receiver, subscribers, written })
  expect(subscribers.flatMap(early)).toEqual([])
})

it('goes on with a growth after kills: none is lost, and only attempts in flight are repeated', async () => {
  const [from, to] = [after, 2 * after]
  const tenant = await world.tenant()
  const subscribers = await subscribe(tenant, from, to)
  const load = startLoad(tenant, { concurrency: 4, pauseMs: 25 })
  await allWait(subscribers, 300)
  expect(await growth.add(to)).toMatchObject({ code: 0, notes: '' })
  // The partitions exist, and nobody uses them.
  await kill('webhook-matcher', 'webhook-dispatcher')
  await until(async () => (await growth.jobsIn(from, to)) > 0, { what: 'rerouted jobs' })
  await kill('webhook-dispatcher')
  await until(async () => (await growth.matched(from, to)) > 0, {
    what: 'changes in new partitions',
    timeoutMs: 120_000,
  })
  // Their jobs are still divided by the earlier number.
  await kill('webhook-matcher', 'webhook-dispatcher')
  for (const subscriber of subscribers) subscriber.away = false
  // Rerouting what waited competes with the load for the machine.
  await growth.allAreUsed(to, 300_000)
  await growth.isFinished(to)
  load.stop()
  const written = await load.done
  const { audit, receiver } = world
  await closeLedger({ audit, receiver, subscribers, written, mayRepeat: undecidedAtMost })
  for (const subscriber of subscribers)
    expect(early(subscriber).length).toBeLessThanOrEqual(undecidedAtMost)
})
