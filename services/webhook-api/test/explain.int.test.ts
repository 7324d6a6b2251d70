import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { ChangeEvent } from '@surehook/contracts/events'
import type { Explanation } from '@surehook/contracts/http/webhooks/log'
import { deliveryId, newEventId } from '@surehook/contracts/ids'
import { aJob } from '@surehook/contracts/testing/samples'
import { deliveriesTopic } from '@surehook/contracts/topics'
import { type Client } from '@surehook/scripts/client/call'
import { until } from '@surehook/testing/until'
import { Client as PgClient } from 'pg'
import { type ChangeFields, logChanges } from './support/changes.ts'
import { clientOf, validInput } from './support/client.ts'
import { openWorld, type Running, type Tenant, type World } from './support/under-test.ts'

let world: World
let service: Running
let tenant: Tenant
let client: Client
let pg: PgClient

beforeAll(async () => {
  world = await openWorld()
  service = await world.startService()
  pg = new PgClient({ connectionString: world.database.adminUrl })
  await pg.connect()
})
afterAll(async () => {
  await pg?.end()
  await service?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})
beforeEach(async () => {
  tenant = await world.tenant()
  client = clientOf(service.api, tenant)
})

const subscribe = async (fields: object = {}): Promise<string> =>
  (await client.call('POST', { ...validInput(tenant), ...fields })).body.id

async function logged(change: ChangeFields = {}, of: Tenant = tenant): Promise<ChangeEvent> {
  const [event] = await logChanges(world, of, [change])
  if (event === undefined) throw new Error('no change')
  return event
}

async function explain(id: string, eventId: string, more = ''): Promise<Explanation> {
  const { status, text } = await client.call(`GET /${id}/explain?eventId=${eventId}${more}`)
  if (status !== 200) throw new Error(`${status} ${text}`)
  return JSON.parse(text) as Explanation
}

/** Returns the present WAL position, in the form that a relay gives a change committed here. */
async function walPosition(): Promise<string> {
  const { rows } = await pg.query<{ system: string; lsn: string }>(
    `select (select system_identifier::text from pg_control_system()) as system,
            lpad(to_hex((pg_current_wal_insert_lsn() - '0/0')::bigint), 16, '0') as lsn`,
  )
  return `${rows[0]?.system}/00000001/${rows[0]?.lsn}`
}

describe('GET /_webhooks/{id}/explain', () => {
  it('shows an existing delivery, with its status', async () => {
    const id = await subscribe()
    const { projectId, environment } = tenant
    const eventId = newEventId()
    const job = aJob({
      deliveryId: deliveryId(eventId, id),
      eventId,
      subscriptionId: id,
      projectId,
      environment,
      createdAt: Date.now(),
    })
    const value = world.codec.job.encode(job)
    await world.producer.send([{ topic: deliveriesTopic, key: 'k', value }])
    let seen: Explanation | undefined
    const isThere = async () => {
      const { status, text } = await client.call(`GET /${id}/explain?eventId=${eventId}`)
      if (status === 200) seen = JSON.parse(text) as Explanation
      return seen !== undefined
    }
    // Other tests may have filled the topic before.
    await until(isThere, { what: 'the delivery' })
    expect(seen).toMatchObject({
      eventId,
      outcome: 'pending',
      delivery: { id: job.deliveryId, eventId, status: 'pending' },
    })
  })

  it.each<[string, object, ChangeFields]>([
    ['table', {}, { table: 'invoices' }],
    ['events', { events: ['DELETE'] }, {}],
    ['filter.total.gt', { filter: { status: 'paid', total: { gt: 5 } } }, {}],
    ['filter.and.1.or', { filter: { and: [{ status: 'paid' }, { or: [{ total: 1 }] }] } }, {}],
    ['active', { active: false }, {}],
  ])('names %s when that kept the change out', async (field, fields, change) => {
    const id = await subscribe(fields)
    const event = await logged({ record: { status: 'paid', total: 5 }, ...change })
    const { outcome, reason, ...rest } = await explain(id, event.id)
    expect({ outcome, ...rest }).toEqual({ eventId: event.id, outcome: 'not_delivered', field })
    expect(reason).not.toBe('')
  })

  it('reports a matching change without a delivery as pending', async () => {
    const id = await subscribe()
    const event = await logged()
    expect(await explain(id, event.id)).toMatchObject({ outcome: 'pending' })
    expect(await explain(id, event.id.toUpperCase())).toMatchObject({ eventId: event.id })
  })

  it('finds a change whose publisher writes ids in capitals, and its delivery', async () => {
    const id = await subscribe()
    const { id: eventId } = await logged({ id: newEventId().toUpperCase() })
    expect((await explain(id, eventId)).outcome).toBe('pending')
    expect((await explain(id, eventId.toLowerCase())).outcome).toBe('pending')
    const job = aJob({
      ...tenant,
      eventId,
      subscriptionId: id,
      deliveryId: deliveryId(eventId, id),
      createdAt: Date.now(),
    })
    await world.producer.send([
      { topic: deliveriesTopic, key: 'x', value: world.codec.job.encode(job) },
    ])
    const isKnown = async () => (await explain(id, eventId)).delivery !== undefined
    await until(isKnown, { what: 'the delivery', timeoutMs: 20_000 })
  })

  it('says that the subscription was made after the change', async () => {
    const event = await logged({ walPosition: await walPosition() })
    const id = await subscribe()
    expect(await explain(id, event.id)).toMatchObject({
      outcome: 'not_delivered',
      field: 'createdAt',
    })
  })

  it('uses the version in force at the WAL position of the change, whatever clocks say', async () => {
    const id = await subscribe({ active: false })
    const whileInactive = await walPosition()
    await client.call(`PATCH /${id}`, { active: true, filter: { total: 1 } })
    const whileFiltered = await walPosition()
    await client.call(`PATCH /${id}`, { filter: null })
    const timestamp = new Date(Date.now() - 1_000).toISOString()
    const record = { total: 2 }
    const explained = async (position: string) => {
      const event = await logged({ walPosition: position, timestamp, record })
      const { outcome, field } = await explain(id, event.id)
      return [outcome, field]
    }
    expect(await explained(whileInactive)).toEqual(['not_delivered', 'active'])
    expect(await explained(whileFiltered)).toEqual(['not_delivered', 'filter.total'])
    expect(await explained(await walPosition())).toEqual(['pending', undefined])
  })

  it('knows an older version, however often what is not a criterion has changed since', async () => {
    const id = await subscribe({ active: false })
    const event = await logged({ walPosition: await walPosition() })
    await client.call(`PATCH /${id}`, { active: true })
    for (let n = 1; n <= 21; n++) {
      const { status } = await client.call(`PATCH /${id}`, { policy: { concurrency: n } })
      expect(status).toBe(200)
    }
    expect(await explain(id, event.id)).toMatchObject({ outcome: 'not_delivered', field: 'active' })
  })

  it('reports that it cannot know: an id without a time, a time before the log, deleted versions', async () => {
    const id = await subscribe()
    const event = await logged({ id: randomUUID() })
    expect(await explain(id, event.id)).toMatchObject({ outcome: 'unknown' })
    const timestamp = encodeURIComponent(event.timestamp)
    expect(await explain(id, event.id, `&timestamp=${timestamp}`)).toMatchObject({
      outcome: 'pending',
    })
    const old = '01890000-0000-7000-8000-000000000000'
    expect(await explain(id, old)).toMatchObject({ outcome: 'unknown' })

    const before = await logged({ walPosition: await walPosition() })
    await client.call(`PATCH /${id}`, { events: ['DELETE'] })
    await pg.query(
      `delete from webhook_api.subscription_version
       where subscription_id = $1 and events <> '{DELETE}'`,
      [id],
    )
    expect(await explain(id, before.id)).toMatchObject({ outcome: 'unknown' })
  })

  it('knows neither a nonexistent event nor one of another tenant', async () => {
    const id = await subscribe()
    const foreign = await logged({}, await world.tenant())
    const elsewhere = await logged({}, { ...tenant, environment: 'other' })
    const events = [newEventId(), foreign.id, elsewhere.id]
    for (const eventId of events) {
      const { status, body } = await client.call(`GET /${id}/explain?eventId=${eventId}`)
      expect([status, body.error]).toEqual([404, 'EVENT_NOT_FOUND'])
    }
  })

  it('knows no subscription of another tenant', async () => {
    const id = await subscribe()
    const event = await logged()
    const stranger = clientOf(service.api, await world.tenant())
    const { status, body } = await stranger.call(`GET /${id}/explain?eventId=${event.id}`)
    expect([status, body.error]).toEqual([404, 'WEBHOOK_NOT_FOUND'])
    const none = await client.call(`GET /nothing/explain?eventId=${event.id}`)
    expect(none.body.error).toBe('WEBHOOK_NOT_FOUND')
  })

  it.each([
    ['eventId', ''],
    ['eventId', '?eventId=7'],
    ['timestamp', `?eventId=${newEventId()}&timestamp=yesterday`],
    ['event', `?eventId=${newEventId()}&event=1`],
  ])('refuses a fault of %s', async (field, query) => {
    const { status, body } = await client.call(`GET /${await subscribe()}/explain${query}`)
    expect([status, body.violations?.map((violation) => violation.field)]).toEqual([400, [field]])
  })
})
