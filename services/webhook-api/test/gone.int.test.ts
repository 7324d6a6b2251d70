import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { anAttempt } from '@surehook/contracts/testing/samples'
import { attemptsTopic } from '@surehook/contracts/topics'
import { openPool } from '@surehook/service-kit/postgres/pool'
import { until } from '@surehook/testing/until'
import type { Pool } from 'pg'
import { clientOf, validInput, type WebhooksClient } from './support/client.ts'
import { log, openWorld, type Running, type Tenant, type World } from './support/under-test.ts'

let world: World
let pool: Pool
let replicas: Running[]
let tenant: Tenant
let client: WebhooksClient

beforeAll(async () => {
  world = await openWorld()
  const connectionString = world.database.databaseUrl
  pool = openPool({ connectionString, applicationName: 'test', log })
  replicas = [await world.startService(), await world.startService()]
})
afterAll(async () => {
  for (const replica of replicas ?? []) await replica[Symbol.asyncDispose]()
  await pool?.end()
  await world?.[Symbol.asyncDispose]()
})
beforeEach(async () => {
  tenant = await world.tenant()
  client = clientOf(replicas[0]?.api ?? '', tenant)
})

const deactivates = { policy: { gone: 'deactivate' } }
const subscribe = async (fields: object = deactivates): Promise<string> =>
  (await client.call('POST', { ...validInput(tenant), ...fields })).body.id
const shown = async (id: string) => (await client.get(id)).body.webhook
const isActive = async (id: string) => (await shown(id)).active

type Answer = { status?: number; url?: string; at?: number; by?: Tenant }

/** Publishes an attempt of the subscription with this answer. Resolves when the history has it. */
async function answered(
  id: string,
  { status = 410, url, at = Date.now(), by = tenant }: Answer = {},
) {
  const deliveryId = randomUUID()
  const { projectId, environment } = by
  const transition = anAttempt({
    ...{ deliveryId, subscriptionId: id, projectId, environment, eventId: randomUUID() },
    ...{ at, createdAt: at, url: url ?? validInput(tenant).url },
    ...{ status: 'retrying', httpStatus: status, nextAttemptAt: at + 1_000 },
  })
  const value = world.codec.attempt.encode(transition)
  await world.producer.send([{ topic: attemptsTopic, key: deliveryId, value }])
  const isRead = async () => {
    const { rows } = await world.historyPool.query('select from delivery where id = $1', [
      deliveryId,
    ])
    return rows.length > 0
  }
  await until(isRead, { what: 'the transition in the log' })
}

const deactivated = (id: string) =>
  until(async () => !(await isActive(id)), { what: 'the deactivation' })
/** Waits until earlier answers have been decided. */
const nothingLeft = () =>
  until(async () => (await pool.query('select from gone_subscription')).rows.length === 0, {
    what: 'the end of the work',
  })

describe('a 410', () => {
  it('deactivates a subscription whose policy says so, once, and says why', async () => {
    const id = await subscribe()
    await Promise.all([answered(id), answered(id)])
    await deactivated(id)
    expect(await shown(id)).toMatchObject({
      disabledAt: expect.any(String),
      disabledReason: expect.stringMatching(/^The receiver answered 410 Gone at \S+Z$/),
      policy: { gone: 'deactivate' },
    })
    expect((await world.subscriptionStates()).get(id)).toMatchObject({
      active: false,
      policy: { gone: 'deactivate' },
    })
    const { body } = await client.call(`PATCH /${id}`, { active: true })
    expect(body).not.toHaveProperty('disabledReason')
    // The log reads an old answer again, as a replica that takes over does.
    await answered(id, { at: Date.now() - 60_000 })
    await nothingLeft()
    expect(await isActive(id)).toBe(true)
  })

  it('changes nothing without the policy, elsewhere, of another tenant, or with another status', async () => {
    const without = await subscribe({})
    const moved = await subscribe()
    const foreign = await subscribe()
    const failing = await subscribe()
    await answered(without)
    await answered(moved, { url: 'https://before.example/' })
    await answered(foreign, { by: await world.tenant() })
    await answered(failing, { status: 404 })
    const canary = await subscribe()
    await answered(canary)
    await deactivated(canary)
    await nothingLeft()
    for (const id of [without, moved, foreign, failing]) expect(await isActive(id)).toBe(true)
  })

  it('is not forgotten by a replica that was killed before it deactivated', async () => {
    const id = await subscribe()
    await pool.query('insert into gone_subscription values ($1, $2, $3)', [
      id,
      validInput(tenant).url,
      new Date(Date.now() + 1_000),
    ])
    // Every replica looks every 10 s.
    await deactivated(id)
  })
})
