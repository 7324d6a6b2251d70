import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { type Client, fieldsOf, type Records } from '@surehook/scripts/client/call'
import { until } from '@surehook/testing/until'
import { Client as Database } from 'pg'
import { clientOf } from './support/client.ts'
import { openWorld, type Running, type Tenant, type World } from './support/under-test.ts'

let world: World
let running: Running
/** The administrator's connections: one holds a snapshot, the other observes. */
let database: Database
let observer: Database
let tenant: Tenant
let client: Client

beforeAll(async () => {
  world = await openWorld()
  running = await world.startService()
  const connectionString = world.database.adminUrl
  ;[database, observer] = [new Database({ connectionString }), new Database({ connectionString })]
  await Promise.all([database.connect(), observer.connect()])
})
beforeEach(async () => {
  tenant = await world.tenant()
  client = clientOf(running.api, tenant)
})
afterAll(async () => {
  await Promise.all([database?.end(), observer?.end()])
  await running?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

const n = { name: 'n', type: 'integer' }
const code = { name: 'code', type: 'text', unique: true }
const put = (columns: object[]) => client.call('PUT _tables/orders', { columns })

/** Returns the table's name in PostgreSQL. */
async function placeOf(): Promise<{ id: string; name: string }> {
  const { rows } = await database.query<{ id: string; name: string }>(
    `select id, format('%I.%I', schema_name, name) as name from data_api.table_definition where project_id = $1`,
    [tenant.projectId],
  )
  const [place] = rows
  if (place === undefined) throw new Error('no table')
  return place
}

/** Holds a snapshot, so that a later index build waits for its end. */
async function holdSnapshot(): Promise<() => Promise<unknown>> {
  await database.query('begin isolation level repeatable read')
  await database.query('select txid_current_snapshot()')
  return () => database.query('commit')
}

/** Resolves when an index build is waiting. */
async function buildsIndex(): Promise<void> {
  const isBuilding = async () => {
    const { rowCount } = await observer.query(
      `select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'
          and query like 'create unique index concurrently%'`,
    )
    return rowCount === 1
  }
  await until(isBuilding, { what: 'an index that is being built' })
}

describe('a new unique column', () => {
  test('does not block writes while its index is made', async () => {
    await put([n])
    const { id } = (await client.call('POST orders', { n: 1 })).body
    const release = await holdSnapshot()
    const evolving = put([n, code])
    await buildsIndex()
    // The index build cannot end before the snapshot is released, so all of this happens during it.
    for (let i = 2; i < 6; i++)
      expect((await client.call('POST orders', { n: i })).status).toBe(201)
    expect((await client.call(`PATCH orders/${id}`, { n: 9 })).body).toEqual(
      expect.not.objectContaining({ code: null }),
    )
    expect((await client.call('POST orders', { n: 1, code: 'early' })).status).toBe(400)
    await release()
    expect((await evolving).status).toBe(200)
    expect((await client.call(`PATCH orders/${id}`, { code: 'a' })).status).toBe(200)
    const taken = await client.call('POST orders', { n: 7, code: 'a' })
    expect([taken.status, fieldsOf(taken)]).toEqual([409, ['code']])
    expect((await client.call<Records>('GET orders')).body.records).toHaveLength(5)
  })

  test('that several requests ask for is made once', async () => {
    await put([n])
    await client.call('POST orders', { n: 1 })
    const answers = await Promise.all(Array.from({ length: 4 }, () => put([n, code])))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    const { name } = await placeOf()
    const { rowCount } = await database.query(
      'select from pg_index where indrelid = $1::regclass',
      [name],
    )
    expect(rowCount).toBe(2)
  })

  test('that was left unfinished is made at the next request', async () => {
    await put([n])
    await client.call('POST orders', { n: 1 })
    const { name } = await placeOf()
    await database.query(
      `alter table ${name} add column code text collate "C", add column other text`,
    )
    expect((await put([n, code, { name: 'other', type: 'integer', default: 5 }])).status).toBe(200)
    const created = await client.call('POST orders', { n: 2, code: 'x' })
    expect(created.body).toMatchObject({ code: 'x', other: 5 })
    expect((await client.call('POST orders', { n: 3, code: 'x' })).status).toBe(409)
  })
})

test('tables of one environment may be made at the same time', async () => {
  const names = Array.from({ length: 12 }, (_, i) => `t${i}`)
  const answers = await Promise.all(
    names.map((name) => client.call(`PUT _tables/${name}`, { columns: [n] })),
  )
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
})

test('a table that evolves under load loses no write, and each event equals its answer', async () => {
  await put([n])
  const seeds = Array.from({ length: 500 }, (_, i) => ({ n: i }))
  const [target] = (await client.call('POST orders', seeds)).list
  const written: { text: string; id: string }[] = []
  const failed: string[] = []
  const end = new AbortController()
  const writer = async (lane: number) => {
    for (let i = 0; !end.signal.aborted; i++) {
      const request = i % 3 === 2 ? `PATCH orders/${target?.id}` : 'POST orders'
      const { status, text, body } = await client.call(request, { n: 1_000 * (lane + 1) + i })
      if (status < 300) written.push({ text, id: body.id })
      else failed.push(`${status} ${text}`)
    }
  }
  const writers = [0, 1, 2].map(writer)
  const columns: object[] = [n]
  for (const column of [
    { name: 'note', type: 'text', required: true, default: 'x'.repeat(100) },
    code,
    { name: 'meta', type: 'json', default: { a: [1] } },
    { name: 'amount', type: 'decimal', unique: true },
  ]) {
    columns.push(column)
    expect((await put(columns)).status).toBe(200)
  }
  end.abort()
  await Promise.all(writers)
  expect(failed).toEqual([])
  expect(written.length).toBeGreaterThan(10)
  const changes = await world.changes.until(tenant.projectId, seeds.length + written.length)
  const published = new Set(changes.map(({ record }) => record))
  expect(written.filter(({ text }) => !published.has(text))).toEqual([])
  expect(changes).toHaveLength(seeds.length + written.length)
  const last = JSON.parse(written.at(-1)?.text ?? '') as object
  expect(Object.keys(last)).toEqual([
    'id',
    'n',
    'note',
    'code',
    'meta',
    'amount',
    'createdAt',
    'updatedAt',
  ])
})

test.each([
  ['a column left out', [], ['columns']],
  ['another type', [{ ...n, type: 'text' }], ['columns.0.type']],
  ['required, where records may lack it', [{ ...n, required: true }], ['columns.0.required']],
  ['unique, where records may not be', [{ ...n, unique: true }], ['columns.0.unique']],
  [
    'required without a default',
    [n, { name: 'm', type: 'text', required: true }],
    ['columns.1.required'],
  ],
])('refuses what would lose data: %s', async (_what, columns, fields) => {
  await put([n])
  await client.call('POST orders', { n: 1 })
  const answer = await put(columns)
  expect([answer.status, fieldsOf(answer)]).toEqual([400, fields])
})
