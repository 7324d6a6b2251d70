import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { anAttempt } from '@surehook/contracts/testing/samples'
import { attemptsTopic } from '@surehook/contracts/topics'
import { clientOf, headersOf } from '@surehook/scripts/client/call'
import { siblingUrl } from '@surehook/service-kit/postgres/sibling-database'
import { until } from '@surehook/testing/until'
import { Client as Connection } from 'pg'
import { validInput } from './support/client.ts'
import { openWorld, type Running, type World } from './support/under-test.ts'

let opened: AsyncDisposableStack
let world: World
let service: Running
let admin: Connection
let locker: Connection
/** At the history database. */
let historyLocker: Connection

beforeAll(async () => {
  opened = new AsyncDisposableStack()
  world = opened.use(await openWorld())
  // With the wait for a connection of an installation.
  const { databaseUrl, adminUrl } = world.database
  const historyUrl = siblingUrl(databaseUrl, 'history')
  service = opened.use(await world.startService({ databaseUrl, historyUrl }))
  const connect = async (connectionString = adminUrl) => {
    const connection = new Connection({ connectionString })
    await connection.connect()
    opened.defer(() => connection.end())
    return connection
  }
  ;[admin, locker] = [await connect(), await connect()]
  historyLocker = await connect(siblingUrl(adminUrl, 'history'))
})
afterAll(async () => opened?.disposeAsync())

async function subscribed() {
  const tenant = await world.tenant()
  const client = clientOf(`${service.api}/api/rest`, headersOf(tenant))
  const { id } = (await client.call('POST /_webhooks', validInput(tenant))).body
  return { client, id, tenant }
}

/** Publishes an attempt, and tells whether the history has it. */
async function publishOne({ id, tenant }: Awaited<ReturnType<typeof subscribed>>) {
  const { projectId, environment } = tenant
  const [deliveryId, at] = [randomUUID(), Date.now()]
  const own = { deliveryId, subscriptionId: id, projectId, environment, at, createdAt: at }
  const value = world.codec.attempt.encode(anAttempt(own))
  await world.producer.send([{ topic: attemptsTopic, key: deliveryId, value }])
  const row = async () => {
    const sql = 'select from delivery where id = $1'
    const { rowCount } = await world.historyPool.query(sql, [deliveryId])
    return rowCount === 1
  }
  return { deliveryId, row }
}

/** Each waits for a lock. None of them waits for Kafka. */
const reads = {
  'its deliveries': (id: string) => `GET /_webhooks/${id}/deliveries`,
  'its statistics': (id: string) => `GET /_webhooks/${id}/stats`,
  'an event': () => `GET /_events/${randomUUID()}`,
}

/** The statements that wait, in both databases of the service. */
async function waitingForLocks(): Promise<string[]> {
  const { rows } = await admin.query<{ query: string }>(
    `select query from pg_stat_activity where datname like current_database() || '%' and wait_event_type = 'Lock'
       -- The history may be written meanwhile.
       and query !~* 'insert into (delivery|attempt_stats)|copy delivery|create table|delete from'`,
  )
  return rows.map(({ query }) => query)
}

it('a project whose writes are slow holds a quarter of the connections, and can still read', async () => {
  const slow = await subscribed()
  const other = await subscribed()
  const quarter = 2
  await locker.query('begin')
  await locker.query('select from webhook_api.subscription where id = $1 for update', [slow.id])
  const writes = Array.from({ length: 12 }, () =>
    slow.client.call(`POST /_webhooks/${slow.id}/test`),
  )
  await until(async () => (await waitingForLocks()).length >= quarter, { what: 'writes that wait' })

  expect((await other.client.call('GET /_webhooks')).status).toBe(200)
  expect((await other.client.call(`POST /_webhooks/${other.id}/test`)).status).toBe(202)
  expect((await slow.client.call('GET /_webhooks')).status).toBe(200)
  expect(await waitingForLocks()).toHaveLength(quarter)

  const refused = await Promise.race(writes)
  expect([refused.status, refused.body.error]).toEqual([503, 'SERVICE_UNAVAILABLE'])
  await locker.query('commit')
  const statuses = (await Promise.all(writes)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 202).length).toBeGreaterThanOrEqual(quarter)
})

it('projects whose reads are slow hold no connection of the history, and take turns', async () => {
  const slow = await Promise.all(Array.from({ length: 6 }, subscribed))
  const other = await subscribed()
  await locker.query('begin')
  await locker.query('lock table webhook_api.replay')
  const reading = slow.flatMap(({ client, id }) =>
    Array.from({ length: 3 }, () => client.call(`GET /_webhooks/${id}/replays/${randomUUID()}`)),
  )
  const waitingReads = async () => {
    const { rowCount } = await admin.query(
      `select from pg_stat_activity where datname like current_database() || '%' and wait_event_type = 'Lock'
       and query like 'select * from replay%'`,
    )
    return rowCount ?? 0
  }
  await until(async () => (await waitingReads()) >= 10, { what: 'reads on all connections' })
  const { deliveryId, row } = await publishOne(other)
  await until(row, { what: `delivery ${deliveryId} in the history` })
  expect(await waitingReads()).toBe(10)
  await locker.query('commit')
  const statuses = (await Promise.all(reading)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 404).length).toBeGreaterThanOrEqual(10)
})

it.each(Object.entries(reads))(
  'a project whose reads of %s are slow holds a quarter, too',
  async (_of, read) => {
    const slow = await subscribed()
    const other = await subscribed()
    await historyLocker.query('begin')
    await historyLocker.query('lock table webhook_api.delivery, webhook_api.attempt_stats')
    const asked = Array.from({ length: 12 }, () => slow.client.call(read(slow.id)))
    await until(async () => (await waitingForLocks()).length >= 2, { what: 'reads that wait' })
    expect((await other.client.call('GET /_webhooks')).status).toBe(200)
    expect(await waitingForLocks()).toHaveLength(2)
    await historyLocker.query('commit')
    const statuses = (await Promise.all(asked)).map(({ status }) => status)
    expect(statuses.filter((status) => status !== 503).length).toBeGreaterThanOrEqual(2)
  },
)
