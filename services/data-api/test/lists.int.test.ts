import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import {
  type Answer,
  type Client as ApiClient,
  type Fields,
  fieldsOf,
  type Records,
} from '@surehook/scripts/client/call'
import { Client } from 'pg'
import { listCursor } from '../src/records/read/list-cursor.ts'
import { parseOrder } from '../src/records/read/record-order.ts'
import { fieldsOfRow } from '../src/tables/rule-sql.ts'
import { clientOf } from './support/client.ts'
import { openWorld, type Running, type Tenant, type World } from './support/under-test.ts'

let world: World
let running: Running
let tenant: Tenant
let client: ApiClient
let database: Client

const optional = { required: false, unique: false, default: null }

beforeAll(async () => {
  world = await openWorld()
  running = await world.startService()
  tenant = await world.tenant()
  client = clientOf(running.api, tenant)
  database = new Client({ connectionString: world.database.databaseUrl })
  await database.connect()
  await client.call('PUT _tables/items', {
    columns: [
      { name: 'n', type: 'integer' },
      { name: 'label', type: 'text' },
      { name: 'price', type: 'decimal' },
      { name: 'at', type: 'timestamp' },
      { name: 'data', type: 'json' },
    ],
  })
  await client.call('POST items', items)
})

afterAll(async () => {
  await database?.end()
  await running?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

const text = (name: string) => ({ name, type: 'text' })
const initials = ['Ä', 'a', 'Z', '€', '🎉']
const items = Array.from({ length: 40 }, (_, n) => ({
  n,
  label: n % 5 === 0 ? null : `${initials[n % 5]}${n % 3}`,
  price: n % 7 === 0 ? null : `${n % 4}.50`,
  at: new Date(Date.UTC(2026, 0, 1 + (n % 6))).toISOString(),
  data: { tag: n % 2 === 0 ? 'even' : 'odd', nested: { n } },
}))

type Query = Record<string, string | number | object>

const list = (query: Query): Promise<Answer<Records>> => {
  const entries = Object.entries(query).map(([key, value]): [string, string] => [
    key,
    typeof value === 'object' ? JSON.stringify(value) : String(value),
  ])
  return client.call<Records>(`GET items?${new URLSearchParams(entries)}`)
}

const numbersOf = ({ body }: Answer<Records>) => body.records.map(({ n }) => n)

async function allPages(query: Query): Promise<Fields[]> {
  const records: Fields[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const { status, body } = await list({ ...query, ...(cursor && { cursor }) })
    expect(status).toBe(200)
    records.push(...body.records)
    cursor = body.nextCursor
  }
  return records
}

describe('a list', () => {
  test('without a query: by id, which is the order of creation', async () => {
    const { status, body } = await client.call<Records>('GET items')
    expect(status).toBe(200)
    expect(body.nextCursor).toBeNull()
    expect(body.records.map(({ n }) => n)).toEqual(items.map(({ n }) => n))
  })

  test.each([
    [{ n: 3 }, (item: (typeof items)[0]) => item.n === 3],
    [{ n: { gte: 10, lt: 12 } }, (item: (typeof items)[0]) => item.n >= 10 && item.n < 12],
    [{ price: { eq: '1.5' } }, (item: (typeof items)[0]) => item.price === '1.50'],
    [{ label: null }, (item: (typeof items)[0]) => item.label === null],
    [{ label: { startsWith: '🎉' } }, (item: (typeof items)[0]) => item.label?.startsWith('🎉')],
    [{ 'data.tag': 'odd', n: { in: [1, 2, 3] } }, ({ n }: (typeof items)[0]) => n === 1 || n === 3],
    [
      { not: { or: [{ n: { gt: 2 } }, { n: 1 }] } },
      ({ n }: (typeof items)[0]) => n === 0 || n === 2,
    ],
    [{ at: { lt: '2026-01-02' } }, ({ n }: (typeof items)[0]) => n % 6 === 0],
  ])('where %j', async (where, matches) => {
    expect(numbersOf(await list({ where }))).toEqual(items.filter(matches).map(({ n }) => n))
  })

  test.each([
    'n',
    '-n',
    'label',
    '-label',
    'label,-price',
    '-price,label,-n',
    'at,price',
    '-createdAt',
  ])('by %s: several pages equal one large page', async (order) => {
    const whole = (await list({ order, limit: 200 })).body.records
    expect(whole).toHaveLength(items.length)
    for (const limit of [1, 7, 39, 40]) {
      expect(await allPages({ order, limit })).toEqual(whole)
    }
  })

  test('texts are ordered by code point, empty fields last', async () => {
    const { body } = await list({ order: 'label' })
    const labels = body.records.map(({ label }) => label as string | null)
    const filled = labels.filter((label) => label !== null)
    const bytes = (label: string) => Buffer.from(label)
    expect(filled).toEqual(filled.toSorted((a, b) => Buffer.compare(bytes(a), bytes(b))))
    expect(labels.slice(filled.length).every((label) => label === null)).toBe(true)
  })

  test('pages do not move when records come and go', async () => {
    const own = clientOf(running.api, await world.tenant())
    await own.call('PUT _tables/items', { columns: [{ name: 'n', type: 'integer' }] })
    const { list: made } = await own.call(
      'POST items',
      [2, 4, 6, 8].map((n) => ({ n })),
    )
    const { body: first } = await own.call<Records>('GET items?order=n&limit=2')
    await own.call(`DELETE items/${made[1]?.id}`)
    await own.call('POST items', [{ n: 1 }, { n: 5 }])
    const { body: second } = await own.call<Records>(
      `GET items?order=n&limit=9&cursor=${first.nextCursor}`,
    )
    expect(second.records.map(({ n }) => n)).toEqual([5, 6, 8])
  })

  test('a page of large records ends early, and the next goes on', async () => {
    const own = clientOf(running.api, await world.tenant())
    await own.call('PUT _tables/items', { columns: [{ name: 'n', type: 'integer' }, text('blob')] })
    const blob = 'x'.repeat(250_000)
    for (let n = 0; n < 20; n++) await own.call('POST items', { n, blob })
    const { body: first } = await own.call<Records>('GET items?order=-n&limit=20')
    expect(first.records.length).toBeLessThan(20)
    const { body: second } = await own.call<Records>(
      `GET items?order=-n&limit=20&cursor=${first.nextCursor}`,
    )
    const numbers = [...first.records, ...second.records].map(({ n }) => n)
    expect(numbers).toEqual(Array.from({ length: 20 }, (_, n) => 19 - n))
    expect(second.nextCursor).toBeNull()
  })

  test('a text that is too long for a cursor still has its position', async () => {
    const own = clientOf(running.api, await world.tenant())
    await own.call('PUT _tables/items', { columns: [text('label')] })
    const labels = ['a', 'b', 'c'].map((end) => ({ label: `${'🎉'.repeat(30_000)}${end}` }))
    for (const label of labels) await own.call('POST items', label)
    const { body } = await own.call<Records>('GET items?order=label&limit=2')
    const next = await own.call<Records>(`GET items?order=label&limit=2&cursor=${body.nextCursor}`)
    expect([next.status, next.body.records.length, next.body.nextCursor]).toEqual([200, 1, null])
  })
})

describe('a faulty query', () => {
  test.each([
    [{ limit: 0 }, ['limit']],
    [{ limit: 201 }, ['limit']],
    [{ limit: 'x' }, ['limit']],
    [{ order: 'nope' }, ['order']],
    [{ order: 'data' }, ['order']],
    [{ order: 'n,-n' }, ['order']],
    [{ where: '{' }, ['where']],
    [{ where: '[]' }, ['where']],
    [{ where: { nope: 1 } }, ['where.nope']],
    [{ where: { n: 'x', label: { gt: 1 } } }, ['where.n', 'where.label.gt']],
    [{ where: { n: { like: 1 } } }, ['where.n.like']],
    [{ where: { changed: ['n'] } }, ['where.changed']],
    [{ where: { label: 'a\0' } }, ['where.label']],
    [{ cursor: 'x' }, ['cursor']],
    [{ cursor: '' }, ['cursor']],
    [{ more: 1 }, ['more']],
  ])('%j: 400 naming it', async (query, fields) => {
    const answer = await list(query)
    expect([answer.status, fieldsOf(answer)]).toEqual([400, fields])
  })

  test('a cursor of another order, another table, or with another position: 400', async () => {
    const { body } = await list({ order: 'n', limit: 1 })
    const cursor = body.nextCursor ?? ''
    const changed = Buffer.from(atob(cursor).replace('"0"', '"5"')).toString('base64url')
    const answers = [
      await list({ order: '-n', cursor }),
      await list({ order: 'n', cursor: changed }),
      await list({ order: 'n', cursor: cursor.slice(1) }),
    ]
    await client.call('PUT _tables/others', { columns: [{ name: 'n', type: 'integer' }] })
    answers.push(await client.call(`GET others?order=n&cursor=${cursor}`))
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400])
    expect(answers.map(fieldsOf)).toEqual(answers.map(() => ['cursor']))
  })

  test('a forged cursor with a valid check shows a page or is refused', async () => {
    const { rows } = await database.query<{ id: string }>(
      `select id from table_definition where name = 'items' and project_id = $1`,
      [tenant.projectId],
    )
    const table = { columns: [{ name: 'n', type: 'integer' as const, ...optional }] }
    const scope = {
      tableId: rows[0]?.id ?? '',
      order: parseOrder({ table, shown: fieldsOfRow(table, 't') }, 'n'),
    }
    const statusOf = async (...position: (string | null)[]) =>
      (await list({ order: 'n', cursor: listCursor(scope, position) })).status
    const id = '01900000-0000-7000-8000-000000000000'
    expect(await statusOf('3', id)).toBe(200)
    expect(await statusOf(null, id)).toBe(200)
    expect(await statusOf('x', id)).toBe(400)
    expect(await statusOf('3', 'x')).toBe(400)
    expect(await statusOf('99999999999999999999', id)).toBe(400)
    expect(await statusOf('a\0', id)).toBe(400)
    expect(await statusOf('3')).toBe(400)
    expect(await statusOf()).toBe(400)
  })
})
