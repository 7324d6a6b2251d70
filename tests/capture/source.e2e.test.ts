import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals'
import type { Table } from '@surehook/contracts/http/data/tables'
import type { Source } from '@surehook/contracts/http/sources'
import { expectStatus } from '@surehook/scripts/client/call'
import type { Tenant } from '@surehook/scripts/client/tenant'
import { createDatabase, query, type TestDatabase } from '@surehook/testing/database'
import { until } from '@surehook/testing/until'
import { newPath } from '../support/listening-world.ts'
import {
  openSharedListeningWorld,
  type SharedListeningWorld,
} from '../support/shared/shared-world.ts'

let world: SharedListeningWorld
let tenant: Tenant
let shop: TestDatabase

beforeAll(async () => {
  world = await openSharedListeningWorld()
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

beforeEach(async () => {
  tenant = await world.tenant()
  shop = await createDatabase()
  await query(shop.url, 'create table purchases (id bigint primary key, state text, ssn text)')
})
afterEach(async () => {
  expectStatus(200, await tenant.rest('DELETE _sources/shop'))
  await shop[Symbol.asyncDispose]()
})

const source = async () => (await tenant.rest<Source>('GET _sources/shop')).body

/** What a user does who has a database: the source, the table, and the SQL that the source shows. */
async function connect(): Promise<void> {
  const url = `${shop.url}?sslmode=disable`
  expectStatus(200, await tenant.rest('PUT _sources/shop', { url }))
  const table = { source: 'shop', relation: 'public.purchases', exclude: ['ssn'] }
  expectStatus(200, await tenant.rest('PUT _tables/purchases', table))
  const wrong = async () => (await source()).findings.filter(({ level }) => level === 'wrong')
  await until(async () => (await wrong()).some(({ relation }) => relation === 'public.purchases'))
  for (const { sql } of await wrong()) for (const one of sql) await query(shop.url, one)
  await until(async () => (await source()).state === 'capturing')
}

it('rows of a table that exists already become signed deliveries, filtered like any others', async () => {
  await connect()
  const columns = async () => (await tenant.rest<Table>('GET _tables/purchases')).body.columns
  await until(async () => (await columns()).length === 2)
  expect((await columns()).map(({ name, type }) => `${name} ${type}`)).toEqual([
    'id bigint',
    'state text',
  ])
  const listener = await world.listen(tenant, {
    table: 'purchases',
    filter: { state: 'paid' },
  })
  await query(shop.url, `insert into purchases values (1, 'new', 'secret'), (2, 'paid', 'secret')`)
  await query(shop.url, `update purchases set state = 'paid' where id = 1`)
  await until(() => listener.payloads.length === 2)
  expect(listener.payloads.map(({ event, record }) => [event, record])).toEqual([
    ['INSERT', { id: '2', state: 'paid' }],
    ['UPDATE', { id: '1', state: 'paid' }],
  ])
  expect(JSON.stringify(listener.receipts.map(({ body }) => body))).not.toContain('secret')
})

it('its records belong to the database: the data API neither writes nor publishes them', async () => {
  await connect()
  for (const request of ['POST purchases', 'PATCH purchases/1', 'GET purchases']) {
    const { body } = await tenant.rest(request, request.startsWith('GET') ? undefined : {})
    expect([request, body.error]).toEqual([request, 'CONFLICT'])
  }
  const change = { table: 'purchases', event: 'INSERT', recordId: '1', record: { id: '1' } }
  const { body } = await tenant.rest('POST _changes', change)
  expect(body.violations?.map(({ field, rule }) => [field, rule])).toEqual([
    ['table', 'table_owned'],
  ])
})

it('a filter may test its columns, and no others', async () => {
  await connect()
  await until(
    async () => (await tenant.rest<Table>('GET _tables/purchases')).body.columns.length > 0,
  )
  const answer = await tenant.webhooks('POST', {
    ...tenant.subscriptionInput(world.receiver.url(newPath())),
    ...{ table: 'purchases', filter: { ssn: 'x' } },
  })
  expect([answer.status, answer.body.violations?.[0]?.field]).toEqual([400, 'filter.ssn'])
})
