import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { EventPayload } from '@surehook/contracts/events/event-payload'
import { expectStatus } from '@surehook/scripts/client/call'
import type { Tenant } from '@surehook/scripts/client/tenant'
import type { Behaviour } from '@surehook/scripts/receiver/receiver'
import { siblingUrl } from '@surehook/service-kit/postgres/sibling-database'
import { Client } from 'pg'
import {
  type Listener,
  type ListeningWorld,
  newPath,
  openListeningWorld,
} from '../support/listening-world.ts'
import { eventually } from '../support/world.ts'

let world: ListeningWorld
let tenant: Tenant

beforeAll(async () => {
  world = await openListeningWorld({
    env: { WEBHOOK_CIRCUIT_COOLDOWN: '1s', WEBHOOK_RETRY_DELAYS: '100ms,200ms,300ms,2s' },
  })
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})
beforeEach(async () => {
  tenant = await world.tenant()
})

const fail: Behaviour = () => ({ status: 500 })
const deadLetters = { table: '_deliveries', events: ['INSERT'] }
const endpoints = { table: '_endpoints', events: ['UPDATE'] }

const changesOf = (payloads: readonly EventPayload[]) =>
  payloads.map(({ record }) => record['change'])
const isDead = (count: number) => (all: { status: string }[]) =>
  all.length >= count && all.every(({ status }) => status === 'dead_letter')

describe('a receiver that fails', () => {
  it('is told to another receiver: its dead letter, and its circuit that opens and closes', async () => {
    const [letters, circuits] = [
      await world.listen(tenant, { ...deadLetters, filter: { table: 'orders', attempts: 5 } }),
      await world.listen(tenant, endpoints),
    ]
    const other = await world.tenant()
    const strangers = [await world.listen(other, deadLetters), await world.listen(other, endpoints)]
    const failing = await world.listen(tenant, {}, fail)
    const { id: recordId } = await tenant.insert({ status: 'new' })

    const [letter] = await letters.arrived(1)
    const [delivery] = await failing.log(isDead(1))
    expect(letter).toMatchObject({ table: '_deliveries', event: 'INSERT' })
    expect(letter?.record).toMatchObject({
      ...{ id: delivery?.id, eventId: delivery?.eventId, webhookId: failing.id },
      ...{ table: 'orders', event: 'INSERT', recordId, status: 'dead_letter', attempts: 5 },
      ...{ httpStatus: 500, lastError: 'http', url: world.receiver.url(failing.path) },
    })
    expect(changesOf(await circuits.arrived(2))).toEqual([...['circuit_opened', 'circuit_closed']])
    const pageUrl = `${world.system.baseUrl}/gw/api/rest/_stream?format=ndjson&from=1h&wait=5&table=_deliveries`
    const page = await (await fetch(pageUrl, { headers: tenant.headers })).text()
    expect(page).toContain(delivery?.id)

    const canary = await world.listen(other, {}, fail)
    await other.insert({ status: 'new' })
    for (const stranger of strangers) {
      const [payload] = await stranger.arrived(1)
      expect(payload?.record['url']).toBe(world.receiver.url(canary.path))
    }
  })
})

describe('events about deliveries', () => {
  it('cause no further events, when every receiver of them fails', async () => {
    const watching = [
      await world.listen(tenant, deadLetters),
      await world.listen(tenant, endpoints),
    ]
    const failing = await world.listen(tenant, {}, fail)
    const ofFailing = async (fields: object) =>
      (await tenant.subscribe(world.receiver.url(failing.path), fields)).id
    const own = [await ofFailing(deadLetters), await ofFailing(endpoints)]
    const others = [
      await world.listen(tenant, deadLetters, fail),
      await world.listen(tenant, endpoints, fail),
    ]
    await tenant.insert({ status: 'new' })
    const counts = [1, 2, 1, 2]
    const ids = [...own, ...others.map(({ id }) => id)]
    for (const [nth, id] of ids.entries()) {
      // Each fails five times, between cooldowns.
      await eventually(() => tenant.deliveries(id), isDead(counts[nth] ?? 0))
    }

    // Whatever these failures had caused would arrive before what the canary causes.
    expectStatus(200, await tenant.webhooks(`PATCH /${failing.id}`, { active: false }))
    const canary = await world.listen(tenant, {}, fail)
    await tenant.insert({ status: 'new' })
    const urls = (listener: Listener) => listener.payloads.map(({ record }) => record['url'])
    const [of, ofCanary] = [failing, canary].map(({ path }) => world.receiver.url(path))
    for (const listener of watching) {
      await eventually(
        async () => urls(listener),
        (all) => all.includes(ofCanary),
      )
    }
    const delivered = watching.map((listener) => urls(listener).filter((url) => url !== ofCanary))
    expect(delivered).toEqual([[of], [of, of]])
  })
})

it('SIGKILL of webhook-api between a dead letter and its event loses nothing', async () => {
  const letters = await world.listen(tenant, deadLetters)
  const path = newPath()
  world.receiver.answer(path, fail)
  const { id } = await tenant.subscribe(world.receiver.url(path))
  const { databaseUrl } = world.system.endpoints
  const database = new Client({ connectionString: databaseUrl })
  const history = new Client({ connectionString: siblingUrl(databaseUrl, 'history') })
  await Promise.all([database.connect(), history.connect()])
  try {
    const until = (where: string) =>
      eventually(
        async () => {
          const sql = `select from webhook_api.delivery where subscription_id = $1 and ${where}`
          return (await history.query(sql, [id])).rows.length === 1
        },
        (isSo) => isSo,
      )
    await database.query('set search_path = webhook_api')
    await tenant.insert({ status: 'new' })
    await until('attempts = 4')
    const noted = async () => {
      const sql = 'select failed_at from failing_subscription where subscription_id = $1'
      const { rows } = await database.query<{ failed_at: Date }>(sql, [id])
      const attempted = 'select attempted_at from webhook_api.delivery where subscription_id = $1'
      const { rows: attempts } = await history.query<{ attempted_at: Date }>(attempted, [id])
      return rows[0]?.failed_at.getTime() === attempts[0]?.attempted_at.getTime()
    }
    await eventually(noted, (isSo) => isSo)
    // Holds the writer after the history has the dead letter, and before it writes the event.
    await database.query('begin')
    await database.query('lock table subscription in access exclusive mode')
    await until(`status = 'dead_letter'`)
    const [service] = world.system.services['webhook-api']
    await service?.kill('SIGKILL')
    await database.query('rollback')
    expect(letters.receipts).toEqual([])
    await service?.restart()
  } finally {
    await Promise.all([database.end(), history.end()])
  }
  const [letter] = await letters.arrived(1)
  expect(letter?.record).toMatchObject({ webhookId: id, status: 'dead_letter' })
})
