import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { openChangePublisher } from '@surehook/publisher'
import type { Tenant } from '@surehook/scripts/client/tenant'
import { until } from '@surehook/testing/until'
import {
  type DeliveryAudit,
  openDeliveryAudit,
  type Statuses,
} from '../../support/deliveries/delivery-audit.ts'
import { Growth } from '../../support/deliveries/growth.ts'
import { closeLedger } from '../../support/deliveries/ledger.ts'
import { startLoad } from '../../support/deliveries/load.ts'
import { subscribeTwice } from '../../support/deliveries/subscribers.ts'
import { openWorldWithStack, type World } from '../../support/world.ts'
import { ManagementWatch } from './management-watch.ts'
import { WaitingWebhooks } from './waiting-webhooks.ts'

/** About this many deliveries wait. Set `WAITING=1000000` for the evidence. */
const wanted = Number(process.env['WAITING'] ?? 3_000)
const [before, after] = [8, 32]
const perKind = 12
/** About half of the deliveries of `flaky` webhooks wait: refused ones, or those behind them. */
const changes = Math.ceil(wanted / (2.5 * perKind))
/** The retries of this many deliveries are not due when the partitions are added. */
const delaySeconds = Math.max(10, Math.ceil(wanted / 2_500))
const delays = {
  WEBHOOK_RETRY_DELAYS: Array(4).fill(`${delaySeconds}s`).join(','),
  // Those of the load are short.
  WEBHOOK_RETRY_LADDER: `100ms,200ms,300ms,400ms,${delaySeconds}s`,
}
const patienceMs = 60_000 + wanted

let world: World
let audit: DeliveryAudit
let tenant: Tenant
beforeAll(async () => {
  world = await openWorldWithStack({
    replicas: { 'webhook-matcher': 2, 'webhook-dispatcher': 2 },
    env: {
      KAFKA_PARTITIONS: String(before),
      ...delays,
      WEBHOOK_TIMEOUT: '30s',
      WEBHOOK_CIRCUIT_COOLDOWN: '24h',
    },
  })
  tenant = await world.tenant()
  const isOfLoad = ({ projectId }: { projectId: string }) => projectId === tenant.projectId
  audit = await openDeliveryAudit(world.system.endpoints, isOfLoad)
})
afterAll(async () => {
  await audit?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

const startedAt = performance.now()
const say = (line: string) =>
  process.stdout.write(`${((performance.now() - startedAt) / 1000).toFixed(1)} s  ${line}\n`)

async function statusesOf(ids: readonly string[]): Promise<Statuses> {
  const sum: Record<string, number> = {}
  for (const id of ids)
    for (const [status, count] of Object.entries(await audit.statuses(id)))
      sum[status] = (sum[status] ?? 0) + count
  return sum
}

const sumOf = (statuses: Statuses): number =>
  Object.values(statuses).reduce((sum, count) => sum + count, 0)

async function publishAll(waiting: WaitingWebhooks): Promise<void> {
  const { kafkaBrokers, schemaRegistryUrl } = world.system.endpoints
  await using publisher = await openChangePublisher({
    ...{ brokers: kafkaBrokers.split(','), schemaRegistryUrl, source: 'rehearsal' },
  })
  await waiting.publish(publisher)
}

it('adds partitions while deliveries wait: none is lost or early, each record keeps its order', async () => {
  const { receiver } = world
  const growth = new Growth(world, delays)
  // A matcher that starts late takes its partitions for added ones.
  await growth.allAreUsed(before)
  const other = await world.tenant()
  const delayMs = 1_000 * delaySeconds
  const waiting = await WaitingWebhooks.subscribe({
    ...{ tenant: other, receiver, perKind, changes, delayMs },
  })
  await publishAll(waiting)
  say(`${changes} changes published, for ${waiting.ids.length} webhooks`)
  const isDispatched = async () =>
    (await audit.lag())['webhook-matcher'] === 0 && (await growth.undispatched()) === 0
  await until(isDispatched, { what: 'every delivery waits', timeoutMs: patienceMs })
  say(`waiting: ${waiting.waiting} of ${waiting.deliveries}, ${waiting.attempts} attempts`)
  say(`history: ${JSON.stringify(await statusesOf(waiting.ids))}`)
  let shown: Statuses = {}
  const areShown = async () => {
    shown = await statusesOf(waiting.unavailable)
    return sumOf(shown) === waiting.unavailable.length * changes && shown.pending === undefined
  }
  const isShown = { what: () => `paused statuses: ${JSON.stringify(shown)}`, everyMs: 1_000 }
  await until(areShown, { ...isShown, timeoutMs: patienceMs })
  say(`history of those that get no answer but 503: ${JSON.stringify(shown)}`)
  await waiting.disable()

  const subscribers = await subscribeTwice(tenant, receiver, { hasPolicy: true })
  const load = startLoad(tenant, { concurrency: 4, pauseMs: 25 })
  await load.reached(100)
  const [probed = ''] = waiting.ids
  const management = new ManagementWatch(other, probed)
  const addedAt = performance.now()
  const sinceAdded = () => ((performance.now() - addedAt) / 1000).toFixed(1)
  expect(await growth.add(after)).toMatchObject({ code: 0, notes: '' })
  say(`partitions added in ${sinceAdded()} s, ${waiting.waiting} waiting`)
  await until(async () => (await growth.matched(before, after)) > 0, { timeoutMs: patienceMs })
  say(`new partitions of changes in use after ${sinceAdded()} s`)
  await growth.allAreUsed(after, patienceMs)
  await growth.isFinished(after)
  say(`finished after ${sinceAdded()} s, ${waiting.waiting} waiting`)
  say(`history: ${JSON.stringify(await statusesOf(waiting.ids))}`)
  await management[Symbol.asyncDispose]()
  say(`management: ${JSON.stringify(management)}`)

  load.stop()
  const written = await load.done
  await waiting.comeBack()
  const isOver = { what: () => `${waiting.waiting} deliveries wait`, timeoutMs: 4 * patienceMs }
  await until(() => waiting.waiting === 0, isOver)
  say(`all delivered, ${waiting.repeated} repeated, ${waiting.overtaken} overtaken`)
  await closeLedger({ audit, receiver, subscribers, written, settleWithinMs: 2 * patienceMs })
  const statuses = await statusesOf(waiting.ids)
  say(`ledger closed: ${JSON.stringify(statuses)}`)
  expect(waiting.faults(0)).toEqual([])
  expect(statuses).toEqual({ delivered: waiting.deliveries })
}, 3_600_000)
