import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Client, type Fields } from '@surehook/scripts/client/call'
import type { Change } from '@surehook/testing/change-log'
import { Client as Database } from 'pg'
import { schemaName } from '../src/tables/ddl/schema-name.ts'
import { clientOf } from './support/client.ts'
import { startServiceProcess } from './support/service-process.ts'
import { openWorld, type Running, type Tenant, type World } from './support/under-test.ts'

let world: World
let running: Running

beforeAll(async () => {
  world = await openWorld()
  running = await world.startService()
})

afterAll(async () => {
  await running?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

const columns = [
  { name: 'a', type: 'integer' },
  { name: 'b', type: 'text' },
  { name: 'c', type: 'json' },
]

async function newTenant(): Promise<{ tenant: Tenant; client: Client }> {
  const tenant = await world.tenant()
  const client = clientOf(running.api, tenant)
  await client.call('PUT _tables/orders', { columns })
  return { tenant, client }
}

const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/)

describe('a write', () => {
  test('is published with the record as it was answered', async () => {
    const { tenant, client } = await newTenant()
    const headers = {
      'x-request-id': 'request-1',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    }
    const { body: created } = await client.call('POST orders', { a: 1, c: [{}] }, headers)
    const path = `orders/${created.id}`
    const { body: updated } = await client.call(`PATCH ${path}`, { b: 'x', a: 2 })
    const { body: deleted } = await client.call(`DELETE ${path}`)
    const changes = await world.changes.until(tenant.projectId, 3)
    const common = {
      id: uuid,
      projectId: tenant.projectId,
      environment: 'master',
      table: 'orders',
      recordId: created.id,
      source: 'data-api',
      requestId: expect.any(String),
      traceparent: null,
      previous: null,
      record: expect.any(String),
    }
    expect(changes).toEqual([
      {
        ...common,
        operation: 'INSERT',
        changedFields: [],
        data: created,
        timestamp: created.createdAt,
        requestId: 'request-1',
        traceparent: headers.traceparent,
      },
      {
        ...common,
        operation: 'UPDATE',
        changedFields: ['a', 'b'],
        data: updated,
        timestamp: updated.updatedAt,
      },
      {
        ...common,
        operation: 'DELETE',
        changedFields: [],
        data: deleted,
        timestamp: expect.any(String),
      },
    ])
    expect(deleted).toEqual(updated)
    const [, second, third] = changes
    expect((third?.timestamp ?? '') > (second?.timestamp ?? '')).toBe(true)
    expect(new Set(changes.map(({ id }) => id)).size).toBe(3)
  })

  test('that changes nothing, or that fails, is not published', async () => {
    const { tenant, client } = await newTenant()
    const { body } = await client.call('POST orders', { a: 1, c: { x: 1, y: 2 } })
    const path = `PATCH orders/${body.id}`
    await client.call(path, {})
    await client.call(path, { a: 1, b: null, c: { y: 2, x: 1 } })
    await client.call(path, { a: 'x' })
    await client.call('POST orders', { b: 'x'.repeat(262_144) })
    await client.call('POST orders', [{ a: 5 }, { a: 'x' }])
    await client.call(path, { a: 2 })
    const changes = await world.changes.until(tenant.projectId, (all) =>
      all.some(({ data }) => data['a'] === 2),
    )
    expect(changes.map(({ operation }) => operation)).toEqual(['INSERT', 'UPDATE'])
  })

  test('of many records is published once for each', async () => {
    const { tenant, client } = await newTenant()
    const { list } = await client.call(
      'POST orders',
      Array.from({ length: 300 }, (_, a) => ({ a })),
    )
    const changes = await world.changes.until(tenant.projectId, 300)
    const published = new Map(changes.map(({ recordId, data }) => [recordId, data]))
    expect(list.map(({ id }) => published.get(id))).toEqual(list)
    expect(new Set(changes.map(({ id }) => id)).size).toBe(300)
  })
})

/** Every change follows from the one before it, and the last one equals the present record. */
function expectChain(changes: readonly Change[], now: Fields): void {
  for (const [index, change] of changes.entries()) {
    const before = changes[index - 1]
    if (before === undefined) continue
    const names = columns.map(({ name }) => name)
    const differing = names.filter(
      (name) => JSON.stringify(change.data[name]) !== JSON.stringify(before.data[name]),
    )
    expect(change.changedFields).toEqual(differing)
    expect(change.timestamp > before.timestamp).toBe(true)
    expect(change.data['updatedAt']).toBe(change.timestamp)
  }
  expect(changes.at(-1)?.data).toEqual(now)
}

describe('writes of one record at the same time', () => {
  test('are published in the order in which they took effect, each with exactly what it changed', async () => {
    const { tenant, client } = await newTenant()
    const { body } = await client.call('POST orders', { a: -1, b: 'start' })
    const path = `orders/${body.id}`
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        client.call(`PATCH ${path}`, n % 2 === 0 ? { a: n } : { b: `${n}`, c: [n] }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200))
    const changes = await world.changes.until(tenant.projectId, 51)
    expect(changes).toHaveLength(51)
    expectChain(changes, (await client.call(`GET ${path}`)).body)
    const published = new Set(changes.map(({ record }) => record))
    for (const { text } of answers) expect(published.has(text)).toBe(true)
  })

  test('a deletion among them is the last', async () => {
    const { tenant, client } = await newTenant()
    const { body } = await client.call('POST orders', { a: 0 })
    const path = `orders/${body.id}`
    const answers = await Promise.all([
      ...Array.from({ length: 20 }, (_, n) => client.call(`PATCH ${path}`, { a: n + 1 })),
      client.call(`DELETE ${path}`),
      ...Array.from({ length: 20 }, (_, n) => client.call(`PATCH ${path}`, { a: -n - 1 })),
    ])
    const done = answers.filter(({ status }) => status === 200).length
    expect(answers.every(({ status }) => status === 200 || status === 404)).toBe(true)
    const changes = await world.changes.until(tenant.projectId, done + 1)
    expect(changes.map(({ operation }) => operation).indexOf('DELETE')).toBe(done)
  })
})

test('the time of a change is after the last one, even when the clock was set back', async () => {
  const { tenant, client } = await newTenant()
  const { body } = await client.call('POST orders', { a: 1 })
  const database = new Database({ connectionString: world.database.databaseUrl })
  await database.connect()
  await database.query(
    `update ${schemaName(tenant)}.orders set "updatedAt" = "updatedAt" + interval '1 hour'`,
  )
  await database.end()
  await client.call(`PATCH orders/${body.id}`, { a: 2 })
  await client.call(`PATCH orders/${body.id}`, { a: 3 })
  await client.call(`DELETE orders/${body.id}`)
  const changes = await world.changes.until(tenant.projectId, 4)
  const hourLater = new Date(Date.parse(body.updatedAt) + 3_600_000).toISOString()
  const times = changes.slice(1).map(({ timestamp }) => timestamp)
  expect([hourLater, ...times]).toEqual([...new Set([hourLater, ...times])].toSorted())
})

describe('guarantee 1: every acknowledged change reaches the topic', () => {
  test('even if the process is killed right after the answers', async () => {
    const tenant = await world.tenant()
    const answered: Fields[] = []
    for (let round = 0; round < 3; round++) {
      await using doomed = await startServiceProcess(world.config)
      const client = clientOf(doomed.api, tenant)
      if (round === 0) await client.call('PUT _tables/orders', { columns })
      const kills: Promise<unknown>[] = []
      const writers = Array.from({ length: 16 }, async (_, writer) => {
        for (let n = 0; kills.length === 0; n++) {
          const answer = await client.call('POST orders', { a: n, b: `${round}/${writer}` })
          if (answer.status === 201) answered.push(answer.body)
          if (answered.length >= (round + 1) * 200) kills.push(doomed.end('SIGKILL'))
        }
      })
      await Promise.allSettled(writers)
      await Promise.all(kills)
    }
    expect(answered.length).toBeGreaterThanOrEqual(600)
    // `running` was on standby and takes over.
    const isPublished = (changes: Change[]) => {
      const published = new Set(changes.map(({ recordId }) => recordId))
      return answered.every(({ id }) => published.has(id))
    }
    const changes = await world.changes.until(tenant.projectId, isPublished)
    const published = new Map(changes.map(({ recordId, data }) => [recordId, data]))
    for (const record of answered) expect(published.get(record.id)).toEqual(record)
  })

  test('SIGTERM: requests in flight are answered, and the process exits with 0', async () => {
    const tenant = await world.tenant()
    await using service = await startServiceProcess(world.config)
    const client = clientOf(service.api, tenant)
    await client.call('PUT _tables/orders', { columns })
    const pending = Array.from({ length: 30 }, (_, a) => client.call('POST orders', { a }))
    const first = await Promise.race(pending)
    expect(first.status).toBe(201)
    expect(await service.end('SIGTERM')).toBe(0)
    const settled = await Promise.allSettled(pending)
    const created = settled.flatMap((one) =>
      one.status === 'fulfilled' && one.value.status === 201 ? [one.value.body.id] : [],
    )
    const changes = await world.changes.until(tenant.projectId, created.length)
    const published = new Set(changes.map(({ recordId }) => recordId))
    expect(created.filter((id) => !published.has(id))).toEqual([])
  })
})
