import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Client, fieldsOf } from '@surehook/scripts/client/call'
import { until } from '@surehook/testing/until'
import type { Client as Connection } from 'pg'
import { quoteIdent } from '../src/sql/quote.ts'
import { schemaName } from '../src/tables/ddl/schema-name.ts'
import { clientOf } from './support/client.ts'
import { type LockingWorld, openLockingWorld } from './support/locking-world.ts'
import type { Running, Tenant, World } from './support/under-test.ts'

let opened: LockingWorld
let world: World
let running: Running
let admin: Connection
let locker: Connection

beforeAll(async () => {
  opened = await openLockingWorld()
  ;({ world, running, admin, locker } = opened)
})

afterAll(async () => {
  await opened?.[Symbol.asyncDispose]()
})

const columns = [
  { name: 'a', type: 'integer', unique: true },
  { name: 'b', type: 'text' },
]

async function newTenant(): Promise<{ tenant: Tenant; client: Client; things: string }> {
  const tenant = await world.tenant()
  const client = clientOf(running.api, tenant)
  await client.call('PUT _tables/things', { columns })
  await client.call('POST things', { a: -1 })
  return { tenant, client, things: `${quoteIdent(schemaName(tenant))}.things` }
}

/** Sends requests while a lock prevents inserts, so that they wait for one another. */
async function together<T>(things: string, send: () => Promise<T>[]): Promise<T[]> {
  await locker.query('begin')
  await locker.query(`lock table ${things} in share mode`)
  const sent = send()
  const waiting = () =>
    admin.query(`select from pg_locks where not granted and relation = $1::regclass`, [things])
  await until(async () => (await waiting()).rowCount === 2, {
    what: 'two statements that wait for the table',
  })
  await locker.query('commit')
  return Promise.all(sent)
}

const numbers = Array.from({ length: 40 }, (_, n) => n)

describe('inserts that come at the same time', () => {
  test('share commits, and each is published with its own request', async () => {
    const { tenant, client, things } = await newTenant()
    const answers = await together(things, () =>
      numbers.map((a) => client.call('POST things', { a, b: 'x' }, { 'x-request-id': `r-${a}` })),
    )
    expect(answers.map(({ status, body }) => [status, body['a'], body['b']])).toEqual(
      numbers.map((a) => [201, a, 'x']),
    )
    const { rows } = await admin.query<{ commits: string; records: string }>(
      `select count(distinct xmin::text) as commits, count(*) as records from ${things} where a >= 0`,
    )
    expect(Number(rows[0]?.records)).toBe(numbers.length)
    expect(Number(rows[0]?.commits)).toBeLessThan(numbers.length)

    const changes = await world.changes.until(tenant.projectId, numbers.length + 1)
    const published = changes.filter(({ data }) => data['a'] !== -1)
    const expected = answers.map(({ headers, body }) => [headers.get('x-request-id'), body])
    const byRequest = (of: unknown[][]) =>
      of.toSorted(([a], [b]) => String(a).localeCompare(String(b)))
    expect(byRequest(published.map(({ requestId, data }) => [requestId, data]))).toEqual(
      byRequest(expected),
    )
    expect(new Set(published.map(({ id }) => id)).size).toBe(numbers.length)
  })

  test('fail separately: a taken or too large value prevents no other insert', async () => {
    const { client, things } = await newTenant()
    const faulty = [
      { a: -1 },
      { a: 1_000, b: 'y'.repeat(300_000) },
      { a: 'no number' },
      { a: 1_001, unknown: 1 },
    ]
    const answers = await together(things, () =>
      [...numbers.map((a) => ({ a })), ...faulty].map((input) => client.call('POST things', input)),
    )
    const statuses = answers.map(({ status }) => status)
    expect(statuses.slice(0, numbers.length)).toEqual(numbers.map(() => 201))
    expect(statuses.slice(numbers.length)).toEqual([409, 413, 400, 400])
    expect(answers[numbers.length]?.body.violations).toEqual([
      { field: 'a', message: 'another record has this value', rule: 'not_unique' },
    ])
    const { rows } = await admin.query<{ count: string }>(`select count(*) from ${things}`)
    expect(Number(rows[0]?.count)).toBe(numbers.length + 1)
  })

  test('of one value make one record, however they coincide', async () => {
    const { client, things } = await newTenant()
    const answers = await together(things, () =>
      numbers.map((n) => client.call('POST things', { a: n % 4 })),
    )
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 201).length).toBe(4)
    expect(statuses.filter((status) => status === 409).length).toBe(numbers.length - 4)
  })
})

describe('inserts with an Idempotency-Key that come at the same time', () => {
  const keyed = (key: unknown) => ({ 'idempotency-key': `key-${key}` })

  test('share commits, and each key makes one record and one event', async () => {
    const { tenant, client, things } = await newTenant()
    const answers = await together(things, () =>
      numbers.map((n) => client.call('POST things', { b: 'x', a: n >> 1 }, keyed(n >> 1))),
    )
    const texts = answers.map(({ status, text }) => `${status} ${text}`)
    expect(answers.map(({ status, body }) => [status, body['a']])).toEqual(
      numbers.map((n) => [201, n >> 1]),
    )
    expect(new Set(texts).size).toBe(numbers.length / 2)
    const { rows } = await admin.query<{ commits: string }>(
      `select count(distinct xmin::text) as commits from ${things} where a >= 0`,
    )
    expect(Number(rows[0]?.commits)).toBeLessThan(numbers.length / 2)
    const again = await Promise.all(
      numbers.map((n) => client.call('POST things', { a: n >> 1, b: 'x' }, keyed(n >> 1))),
    )
    expect(again.map(({ status, text }) => `${status} ${text}`)).toEqual(texts)
    const made = answers.filter((_, n) => n % 2 === 0).map(({ text }) => text)
    const changes = await world.changes.until(tenant.projectId, made.length + 1)
    const published = changes.map(({ record }) => record)
    expect(published.filter((record) => !record.includes('"a":-1,')).toSorted()).toEqual(
      made.toSorted(),
    )
  })

  test('fail separately: the key of a refused one stays free', async () => {
    const { client, things } = await newTenant()
    const inputs = [...numbers.map((a) => ({ a })), { a: -1 }, { a: 500 }]
    const answers = await together(things, () =>
      inputs.map((input, n) => client.call('POST things', input, keyed(n))),
    )
    expect(answers.map(({ status }) => status)).toEqual([...numbers.map(() => 201), 409, 201])
    expect(answers.at(-2)?.body.violations).toEqual([
      { field: 'a', message: 'another record has this value', rule: 'not_unique' },
    ])
    const other = await client.call('POST things', { a: 501 }, keyed(0))
    expect([other.status, fieldsOf(other)]).toEqual([409, ['Idempotency-Key']])
    expect((await client.call('POST things', { a: 502 }, keyed(numbers.length))).status).toBe(201)
  })

  test('of different requests with one key make one record', async () => {
    const { client, things } = await newTenant()
    const answers = await together(things, () =>
      numbers.map((a) => client.call('POST things', { a }, keyed('same'))),
    )
    const made = answers.filter(({ status }) => status === 201)
    expect(made.length).toBe(1)
    for (const answer of answers.filter((of) => of !== made[0])) {
      expect([answer.status, fieldsOf(answer)]).toEqual([409, ['Idempotency-Key']])
    }
    const { rows } = await admin.query<{ a: number }>(`select a from ${things} where a >= 0`)
    expect(rows).toEqual([{ a: made[0]?.body['a'] }])
  })
})
