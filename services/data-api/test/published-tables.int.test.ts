import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { TableState } from '@surehook/contracts/events'
import { tablesTopic } from '@surehook/contracts/topics'
import { createKafka } from '@surehook/kafka/client/client'
import { openTopicView, type TopicView } from '@surehook/kafka/views/topic-view'
import { openEventCodec } from '@surehook/schemas/codec'
import { type Client } from '@surehook/scripts/client/call'
import { until } from '@surehook/testing/until'
import { Client as Database } from 'pg'
import { clientOf } from './support/client.ts'
import { log, openWorld, type Running, type Tenant, type World } from './support/under-test.ts'

let world: World
let service: Running
let tenant: Tenant
let client: Client
let view: TopicView
const tables = new Map<string, TableState>()
/** How many states of this file's tables came. */
let applied = 0

beforeAll(async () => {
  world = await openWorld()
  service = await world.startService()
  const { brokers } = world.config.kafka
  view = await openTopicView<TableState>({
    kafka: createKafka({ brokers, clientId: 'test', log }),
    codec: await openEventCodec({ registryUrl: world.config.registryUrl }),
    clientId: `test-${randomUUID()}`,
    topics: [tablesTopic],
    apply(_topic, key, table) {
      if (table === null) tables.delete(key)
      else tables.set(key, table)
      if (key.startsWith(`${tenant?.projectId}/`)) applied += 1
    },
    log,
  })
})
afterAll(async () => {
  await view?.[Symbol.asyncDispose]()
  await service?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})
beforeEach(async () => {
  tenant = await world.tenant()
  client = clientOf(service.api, tenant)
})

/** Returns the table's state as a reader of the topic knows it now. */
async function published(name: string): Promise<TableState | undefined> {
  await view.barrier()
  return tables.get(`${tenant.projectId}/${tenant.environment}/${name}`)
}

describe('a table', () => {
  it('is on its topic when it is answered: made, evolved, dropped', async () => {
    const total = { name: 'total', type: 'decimal', default: '1.50' }
    const made = await client.call('PUT _tables/orders', { columns: [total] })
    expect(await published('orders')).toEqual({
      projectId: tenant.projectId,
      environment: tenant.environment,
      name: 'orders',
      columns: [{ name: 'total', type: 'decimal' }],
      updatedAt: made.body.updatedAt,
      access: '[]',
      createdAt: made.body.createdAt,
      source: null,
    })
    const note = { name: 'note', type: 'text' }
    await client.call('PUT _tables/orders', { columns: [total, note] })
    expect((await published('orders'))?.columns).toEqual([
      { name: 'total', type: 'decimal' },
      { name: 'note', type: 'text' },
    ])
    expect((await client.call('DELETE _tables/orders')).status).toBe(204)
    expect(await published('orders')).toBeUndefined()
  })

  it('says who may read it, also if a data-api published it that did not', async () => {
    const rule = { role: '*', where: { owner: '$user.id' }, columns: ['owner'] }
    const columns = [{ name: 'owner', type: 'uuid' }]
    await client.call('PUT _tables/notes', { columns, access: { read: ['staff', rule] } })
    expect(JSON.parse((await published('notes'))?.access ?? '')).toEqual(['staff', rule])
    const before = applied
    await using opened = new AsyncDisposableStack()
    const database = opened.adopt(new Database(world.database.databaseUrl), (one) => one.end())
    await database.connect()
    await database.query(`update table_definition set access_published = false`)
    // The trigger has published that update, too.
    await until(() => applied >= before + 2, { what: 'the table once more' })
    const { rows } = await database.query('select access_published from table_definition')
    expect(rows).not.toContainEqual({ access_published: false })
  })

  it('exists without a column', async () => {
    await client.call('PUT _tables/empty', { columns: [] })
    expect((await published('empty'))?.columns).toEqual([])
  })
})
