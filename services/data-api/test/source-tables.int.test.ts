import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { SourceColumnsState, TableState } from '@surehook/contracts/events'
import type { Table } from '@surehook/contracts/http/data/tables'
import type { Problem } from '@surehook/contracts/problem'
import { sourceColumnsTopic, tablesTopic } from '@surehook/contracts/topics'
import { type EventProducer, openProducer } from '@surehook/kafka/producer/producer'
import { openTopicView, type TopicView } from '@surehook/kafka/views/topic-view'
import type { EventCodec } from '@surehook/schemas/codec'
import type { Client } from '@surehook/scripts/client/call'
import { openPool } from '@surehook/service-kit/postgres/pool'
import { openClients, sharedStack } from '@surehook/testing/platform-service'
import { until } from '@surehook/testing/until'
import type { Pool } from 'pg'
import { purgeEnvironment } from '../src/purge-environment.ts'
import { clientOf } from './support/client.ts'
import { graphqlClientOf } from './support/graphql-client.ts'
import { log, openWorld, type Running, type Tenant, type World } from './support/under-test.ts'

const opened = new AsyncDisposableStack()
let world: World
let service: Running
let codec: EventCodec
let producer: EventProducer
let pool: Pool
let view: TopicView
let tenant: Tenant
let client: Client
const tables = new Map<string, TableState>()

beforeAll(async () => {
  world = opened.use(await openWorld())
  service = opened.use(await world.startService())
  const clients = await openClients(sharedStack())
  codec = clients.codec
  producer = opened.use(await openProducer(clients.kafka, { log }))
  const { databaseUrl: connectionString } = world.database
  pool = opened.adopt(openPool({ connectionString, applicationName: 'test', log }), (one) =>
    one.end(),
  )
  view = opened.use(
    await openTopicView<TableState>({
      ...clients,
      clientId: `test-${randomUUID()}`,
      topics: [tablesTopic],
      apply(_topic, key, table) {
        if (table === null) tables.delete(key)
        else tables.set(key, table)
      },
      log,
    }),
  )
})
afterAll(() => opened.disposeAsync())
beforeEach(async () => {
  tenant = await world.tenant()
  client = clientOf(service.api, tenant)
})

const orders = { source: 'shop', relation: 'public.orders', exclude: ['ssn'] }
const put = (input: object = orders) => client.call('PUT _tables/orders', input)
const conflict = { status: 409, body: { error: 'CONFLICT' } }
const keyOf = ({ projectId, environment }: Tenant) => `${projectId}/${environment}/orders`

async function published(): Promise<TableState | undefined> {
  await view.barrier()
  return tables.get(keyOf(tenant))
}

/** Publishes columns as postgres-source does. */
async function find(
  names: readonly string[],
  {
    tableCreatedAt,
    updatedAt = '2026-01-01T00:00:00.000Z',
    type = 'text',
  }: {
    tableCreatedAt: string
    updatedAt?: string
    type?: string
  },
): Promise<void> {
  const { projectId, environment } = tenant
  const columns = names.map((name) => ({ name, type }))
  const state: SourceColumnsState = {
    ...{ projectId, environment, table: 'orders', tableCreatedAt, columns, updatedAt },
  }
  const value = codec.sourceColumns.encode(state)
  await producer.send([{ topic: sourceColumnsTopic, key: keyOf(tenant), value }])
}

async function columnsNow(): Promise<string[]> {
  const { body } = await client.call<Table>('GET _tables/orders')
  return body.columns.map(({ name }) => name)
}

const untilColumns = (names: readonly string[]) =>
  until(async () => (await columnsNow()).join() === names.join(), { what: `columns ${names}` })

describe('a table of a source', () => {
  it('reserves its name, and nothing else', async () => {
    const made = await put()
    const source = { name: 'shop', relation: 'public.orders', exclude: ['ssn'] }
    const access = { read: [], create: [], update: [], delete: [] }
    expect(made).toMatchObject({
      status: 200,
      body: { name: 'orders', columns: [], access, source },
    })
    expect((await client.call('GET _tables')).body).toEqual({ tables: [made.body] })
    expect(await published()).toMatchObject({ columns: [], access: '[]', source })
    const { rows } = await pool.query(
      'select from environment_schema where project_id = $1 and environment = $2',
      [tenant.projectId, tenant.environment],
    )
    expect(rows).toEqual([])
  })

  it('may move to another relation, and is published with it', async () => {
    const { body: first } = await put()
    expect((await put()).body).toEqual(first)
    const moved = { name: 'shop', relation: 'sales."Orders"', exclude: [] }
    const { body } = await put({ source: 'shop', relation: 'sales."Orders"' })
    expect(body).toMatchObject({ source: moved, createdAt: first.createdAt })
    expect((await published())?.source).toEqual(moved)
  })

  it('has no records to read or to write', async () => {
    await put()
    const record = `orders/${randomUUID()}`
    const change = { table: 'orders', event: 'INSERT', recordId: '1', record: {} }
    const calls: [string, unknown?][] = [
      ['GET orders'],
      ['POST orders', { total: 1 }],
      ['POST orders', [{ total: 1 }]],
      [`GET ${record}`],
      [`PATCH ${record}`, { total: 1 }],
      [`DELETE ${record}`],
      ['POST _changes', change],
      ['POST _changes', [change, change]],
    ]
    for (const [call, body] of calls) {
      expect([call, await client.call(call, body)]).toMatchObject([call, conflict])
    }
    const { body } = await client.call<Problem>('POST _changes', change)
    expect(body.violations).toMatchObject([{ field: 'table', rule: 'table_owned' }])
    expect(body.message).toBe('The table belongs to a source')
  })

  it('is no table of the GraphQL schema', async () => {
    await put()
    await client.call('PUT _tables/notes', { columns: [{ name: 'text', type: 'text' }] })
    type Schema = { queryType: { fields: { name: string }[] } }
    const query = '{ __schema { queryType { fields { name } } } }'
    const { data } = await graphqlClientOf(service.api, tenant)<Schema>(query)
    const names = data?.['__schema']?.queryType.fields.map(({ name }) => name)
    expect(names).toContain('notes')
    expect(names?.filter((name) => name.startsWith('order'))).toEqual([])
  })

  it('becomes no other kind of table, and no table becomes one', async () => {
    await put()
    expect(await put({ columns: [] })).toMatchObject(conflict)
    expect(await put({ ...orders, source: 'other' })).toMatchObject(conflict)
    await client.call('PUT _tables/notes', { columns: [] })
    expect(await client.call('PUT _tables/notes', orders)).toMatchObject(conflict)
    expect((await client.call('DELETE _tables/orders')).status).toBe(204)
    expect(await published()).toBeUndefined()
    expect((await put({ columns: [] })).status).toBe(200)
    expect((await client.call('POST orders', {})).status).toBe(201)
  })

  it('is published again if a data-api relayed it that knows no sources', async () => {
    await put()
    const { projectId } = tenant
    await pool.query('update table_definition set source_published = false where project_id = $1', [
      projectId,
    ])
    await until(
      async () => {
        const { rows } = await pool.query(
          'select source_published as done from table_definition where project_id = $1',
          [projectId],
        )
        return rows[0]?.done === true
      },
      { what: 'the state once more' },
    )
  })

  it('goes with its environment', async () => {
    await put()
    expect(await purgeEnvironment(pool, tenant, async () => true)).toBe(true)
    expect(await purgeEnvironment(pool, tenant, async () => true)).toBe(false)
    await until(async () => (await published()) === undefined, { what: 'the tombstone' })
  })
})

describe('the columns that postgres-source finds', () => {
  it('become those of the table, for every reader', async () => {
    const { body } = await put()
    await find(['id', 'Card number', 'createdAt'], { tableCreatedAt: body.createdAt })
    await untilColumns(['id', 'Card number', 'createdAt'])
    await until(async () => (await published())?.columns.length === 3, { what: 'the new state' })
    expect((await published())?.createdAt).toBe(body.createdAt)
  })

  it('do not give way to earlier ones', async () => {
    const { createdAt: tableCreatedAt } = (await put()).body
    await find(['new'], { tableCreatedAt, updatedAt: '2026-01-02T00:00:00.000Z' })
    await untilColumns(['new'])
    await find(['old'], { tableCreatedAt, updatedAt: '2026-01-01T00:00:00.000Z' })
    await proveRead()
    expect(await columnsNow()).toEqual(['new'])
    // Of the same instant: the last ones count.
    await find(['newer'], { tableCreatedAt, updatedAt: '2026-01-02T00:00:00.000Z' })
    await untilColumns(['newer'])
  })

  it('never become those of a later table of the name', async () => {
    const { createdAt: earlier } = (await put()).body
    await client.call('DELETE _tables/orders')
    const { createdAt: later } = (await put()).body
    expect(later).not.toBe(earlier)
    await find(['earlier'], { tableCreatedAt: earlier, updatedAt: '2026-01-03T00:00:00.000Z' })
    await proveRead()
    expect(await columnsNow()).toEqual([])
    await find(['later'], { tableCreatedAt: later })
    await untilColumns(['later'])
  })

  it('of an unknown type do not stop the others', async () => {
    const { createdAt: tableCreatedAt } = (await put()).body
    await find(['a'], { tableCreatedAt, type: 'money' })
    await find(['b'], { tableCreatedAt: 'no time' })
    await find(['c'], { tableCreatedAt })
    await untilColumns(['c'])
  })

  it('never become those of an own table', async () => {
    const { createdAt: tableCreatedAt } = (await put({ columns: [] })).body
    await find(['a'], { tableCreatedAt })
    await proveRead()
    expect(await columnsNow()).toEqual([])
  })
})

/** Resolves once all columns that were published before are in the catalogue, or left out. */
async function proveRead(): Promise<void> {
  const asked = tenant
  tenant = await world.tenant()
  client = clientOf(service.api, tenant)
  const { createdAt: tableCreatedAt } = (await put()).body
  await find(['proof'], { tableCreatedAt })
  await untilColumns(['proof'])
  tenant = asked
  client = clientOf(service.api, tenant)
}
