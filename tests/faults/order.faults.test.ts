import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import type { EventPayload } from '@surehook/contracts/events/event-payload'
import { until } from '@surehook/testing/until'
import { type FaultWorld, openFaultWorld } from '../support/deliveries/fault-world.ts'

let world: FaultWorld

beforeAll(async () => {
  // Small enough for a slow receiver to fill them.
  const env = { WEBHOOK_WINDOW: '60', WEBHOOK_ENDPOINT_CONCURRENCY: '1', WEBHOOK_TIMEOUT: '10s' }
  world = await openFaultWorld({ replicas: { 'webhook-dispatcher': 1 }, env })
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

const records = 4
const versions = 60
/** More than one fetch returns: a new owner reads these before it continues. */
const before = 1_500
const arrayOf = 100

type Row = { ref: string; version: number; note: string }

it('paused deliveries of a slow receiver start in commit order after a SIGKILL of the dispatcher', async () => {
  const tenant = await world.tenant()
  const path = `/${randomUUID()}`
  const { receiver } = world
  await tenant.putTable('orders', { ref: 'text', version: 'integer', note: 'text' })
  await tenant.subscribe(receiver.url(path))
  const rows = Array.from({ length: arrayOf }, () => ({ note: 'x'.repeat(4_000) }))
  for (let n = 0; n < before; n += arrayOf) await tenant.rest('POST orders', rows)
  await receiver.waitFor(path, before)
  receiver.forget(path)
  receiver.answer(path, () => ({ status: 200, delayMs: 100 }))

  const ids = await Promise.all(
    Array.from({ length: records }, (_, n) => tenant.insert({ ref: `r${n}`, version: 1 })),
  )
  await Promise.all(
    ids.map(async ({ id }) => {
      for (let version = 2; version <= versions; version++) {
        await tenant.rest(`PATCH orders/${id}`, { version })
      }
    }),
  )
  const [dispatcher] = world.system.services['webhook-dispatcher']
  await until(async () => (await paused(dispatcher?.internalUrl ?? '')) > 100, {
    what: 'paused deliveries',
  })
  await dispatcher?.kill('SIGKILL')
  await dispatcher?.restart()

  const firsts = () => {
    const seen = new Map<string, number[]>()
    for (const { body } of receiver.receipts(path)) {
      const { ref, version } = (JSON.parse(body) as EventPayload).record as Row
      const mine = seen.get(ref) ?? []
      seen.set(ref, mine)
      if (!mine.includes(version)) mine.push(version)
    }
    return seen
  }
  const isComplete = () => [...firsts().values()].flat().length === records * versions
  await until(isComplete, { what: 'all deliveries', timeoutMs: 90_000 })
  const inOrder = Array.from({ length: versions }, (_, n) => n + 1)
  for (const mine of firsts().values()) expect(mine).toEqual(inOrder)
})

it('SIGKILL of the dispatcher while deliveries fail sends no change before the earlier one was accepted', async () => {
  const tenant = await world.tenant()
  const path = `/${randomUUID()}`
  const { receiver } = world
  await tenant.putTable('orders', { ref: 'text', version: 'integer' })
  await tenant.subscribe(receiver.url(path), {
    policy: { ordered: 'record', retryDelays: Array.from({ length: 20 }, () => '300ms') },
  })
  const accepted: string[] = []
  const early: string[] = []
  let nth = 0
  receiver.answer(path, ({ body }) => {
    const { ref, version } = (JSON.parse(body) as EventPayload).record as Row
    if (version > 1 && !accepted.includes(`${ref}/${version - 1}`)) early.push(`${ref}/${version}`)
    // Fewer in a row than open the circuit.
    if (nth++ % 5 < 3) return { status: 503 }
    accepted.push(`${ref}/${version}`)
    return { status: 204 }
  })
  const changes = 15
  const ids = await Promise.all(
    Array.from({ length: records }, (_, n) => tenant.insert({ ref: `r${n}`, version: 1 })),
  )
  for (let version = 2; version <= changes; version++) {
    await Promise.all(ids.map(({ id }) => tenant.rest(`PATCH orders/${id}`, { version })))
  }
  const [dispatcher] = world.system.services['webhook-dispatcher']
  for (const share of [0.25, 0.5, 0.75]) {
    await until(() => new Set(accepted).size >= records * changes * share, {
      what: 'accepted deliveries',
      timeoutMs: 90_000,
    })
    await dispatcher?.kill('SIGKILL')
    await dispatcher?.restart()
  }
  const isComplete = () => new Set(accepted).size === records * changes
  await until(isComplete, { what: 'all deliveries', timeoutMs: 90_000 })
  expect(early).toEqual([])
})

async function paused(internalUrl: string): Promise<number> {
  const metrics = await (await fetch(`${internalUrl}/metrics`)).text()
  return Number(metrics.match(/^surehook_delivery_paused\S* (\d+)$/m)?.[1] ?? 0)
}
