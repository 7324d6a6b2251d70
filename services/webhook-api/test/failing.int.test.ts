import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { ChangeEvent, DeliveryStatus } from '@surehook/contracts/events'
import { changesTopic } from '@surehook/contracts/topics'
import { type LogReader, openLogReader } from '@surehook/kafka/readers/log-reader'
import { until } from '@surehook/testing/until'
import { Client as Connection } from 'pg'
import { clientOf, validInput, type WebhooksClient } from './support/client.ts'
import { publishAttempts } from './support/publish-attempts.ts'
import { readLog } from './support/read-log.ts'
import { log, openWorld, type Running, type Tenant, type World } from './support/under-test.ts'

const disableAfterMs = 60_000

let world: World
let replicas: Running[]
let tenant: Tenant
let client: WebhooksClient
let reader: LogReader

beforeAll(async () => {
  world = await openWorld()
  const config = { disableAfterMs, disableLookMs: 100 }
  replicas = [await world.startService(config), await world.startService(config)]
  reader = openLogReader({ kafka: world.kafka, topic: changesTopic, clientId: 'test', log })
})
afterAll(async () => {
  await reader?.[Symbol.asyncDispose]()
  for (const replica of replicas ?? []) await replica[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})
beforeEach(async () => {
  tenant = await world.tenant()
  client = clientOf(replicas[0]?.api ?? '', tenant)
})

const subscribe = async (fields: object = {}): Promise<string> =>
  (await client.call('POST', { ...validInput(tenant), ...fields })).body.id

const shown = async (id: string) => (await client.get(id)).body.webhook

const attempted = (id: string, ...attempts: [agoMs: number, status: DeliveryStatus][]) =>
  publishAttempts({ world, tenant, client }, id, attempts)

const isDisabled = async (id: string) => !(await shown(id)).active
const disabled = (id: string) => until(() => isDisabled(id), { what: 'the deactivation' })

/** Returns the events about the tenant's subscriptions, as a subscriber gets them. */
async function eventsOf(of: Tenant): Promise<ChangeEvent[]> {
  const events: ChangeEvent[] = []
  for await (const { key, value } of readLog(reader)) {
    const isOurs = String(key).startsWith(`${of.projectId}/${of.environment}/_webhooks/`)
    if (isOurs && value) events.push(await world.codec.change.decode(value))
  }
  return events
}

/** Removes the warnings: they are part of the answer but not of the state. */
function asEvent({ warnings: _warnings, ...webhook }: Record<string, unknown>) {
  return webhook
}

describe('a subscription of which nothing but failure was seen', () => {
  it('is deactivated with a reason, and announced once', async () => {
    const id = await subscribe()
    await attempted(id, [disableAfterMs + 5_000, 'retrying'], [1_000, 'retrying'])
    await disabled(id)
    const webhook = await shown(id)
    expect(webhook).toMatchObject({
      active: false,
      disabledAt: expect.any(String),
      disabledReason: expect.stringMatching(/^Every attempt since \S+Z failed$/),
    })
    expect((await world.subscriptionStates()).get(id)).toMatchObject({ active: false })
    // People are told of it.
    const known = await world.pool.query('select from incident where subscription_id = $1', [id])
    expect(known.rowCount).toBe(1)
    const events = (await eventsOf(tenant)).filter(({ operation }) => operation === 'UPDATE')
    expect(events).toHaveLength(1)
    const [event] = events
    expect(event).toMatchObject({
      table: '_webhooks',
      recordId: id,
      changedFields: ['active', 'disabledAt', 'disabledReason'],
    })
    expect(JSON.parse(event?.record ?? '')).toEqual(asEvent(webhook))

    const { body } = await client.call(`PATCH /${id}`, { active: true })
    expect(body).toMatchObject({ active: true })
    expect(body).not.toHaveProperty('disabledAt')
    expect(body).not.toHaveProperty('disabledReason')
    await attempted(id, [500, 'dead_letter'])
    expect(await isDisabled(id)).toBe(false)
  })

  it('stays active when one attempt succeeded, whenever that is read', async () => {
    const between = await subscribe()
    const late = await subscribe()
    const canary = await subscribe()
    await attempted(
      between,
      [disableAfterMs + 9_000, 'retrying'],
      [30_000, 'delivered'],
      [1_000, 'dead_letter'],
    )
    // The success is read last but happened before the failures.
    await attempted(
      late,
      [5_000, 'delivered'],
      [disableAfterMs + 9_000, 'retrying'],
      [1_000, 'dead_letter'],
    )
    await attempted(canary, [disableAfterMs + 8_000, 'retrying'], [1_000, 'dead_letter'])
    // The canary has failed for a shorter time than the others, so their turn came before.
    await disabled(canary)
    expect([await isDisabled(between), await isDisabled(late)]).toEqual([false, false])
  })

  it('stays active if it has not failed long enough, or gets a new URL', async () => {
    const young = await subscribe()
    const moved = await subscribe()
    const canary = await subscribe()
    await attempted(young, [disableAfterMs - 10_000, 'retrying'], [1_000, 'dead_letter'])
    await attempted(moved, [disableAfterMs + 9_000, 'retrying'])
    await client.call(`PATCH /${moved}`, { url: 'https://elsewhere.example/' })
    await attempted(moved, [1_000, 'retrying'])
    await attempted(canary, [disableAfterMs + 8_000, 'retrying'], [1_000, 'dead_letter'])
    await disabled(canary)
    expect([await isDisabled(young), await isDisabled(moved)]).toEqual([false, false])
  })
})

it('a subscription that cannot be checked does not keep others active', async () => {
  const locked = await subscribe()
  const other = await subscribe()
  const locker = new Connection({ connectionString: world.database.adminUrl })
  await locker.connect()
  try {
    await locker.query('begin')
    await locker.query('select from webhook_api.subscription where id = $1 for no key update', [
      locked,
    ])
    for (const [id, ms] of [
      [locked, 9_000],
      [other, 8_000],
    ] as const) {
      await attempted(id, [disableAfterMs + ms, 'retrying'], [1_000, 'dead_letter'])
    }
    await disabled(other)
    expect(await isDisabled(locked)).toBe(false)
    await locker.query('rollback')
    await disabled(locked)
  } finally {
    await locker.end()
  }
})

describe('the table _webhooks', () => {
  it('has an event for each change of a subscription, and never a secret', async () => {
    const { body: created } = await client.call('POST', validInput(tenant))
    const filter = { total: 1 }
    const { body: changed } = await client.call(`PATCH /${created.id}`, { filter })
    await client.call(`PATCH /${created.id}`, { secret: 'signing-secret-2' })
    await client.call(`PATCH /${created.id}`, { filter })
    await client.call(`DELETE /${created.id}`)
    const events = await eventsOf(tenant)
    expect(
      events.map(({ operation, changedFields, record }) => [
        operation,
        changedFields,
        JSON.parse(record),
      ]),
    ).toEqual([
      ['INSERT', [], asEvent(created)],
      ['UPDATE', ['filter'], asEvent(changed)],
      ['UPDATE', ['secret'], asEvent(changed)],
      ['DELETE', [], asEvent(changed)],
    ])
    expect(JSON.stringify(events)).not.toContain('signing-secret')
  })
})
