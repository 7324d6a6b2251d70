import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Client } from '@surehook/scripts/client/call'
import { clientOf } from './support/client.ts'
import { openWorld, type Running, type Tenant, type World } from './support/under-test.ts'

let world: World
const replicas: Running[] = []

beforeAll(async () => {
  world = await openWorld()
  for (let n = 0; n < 2; n++) replicas.push(await world.startService())
})

afterAll(async () => {
  for (const replica of replicas) await replica[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

async function newTenant(): Promise<{ tenant: Tenant; one: Client; other: Client }> {
  const tenant = await world.tenant()
  const [one, other] = replicas.map(({ api }) => clientOf(api, tenant))
  if (one === undefined || other === undefined) throw new Error('there are two replicas')
  return { tenant, one, other }
}

const newKey = () => ({ 'idempotency-key': randomUUID() })

const column = (name: string, rest: object = {}) => ({ name, type: 'text', ...rest })

describe('a table that changes under another replica', () => {
  test('is written with its new columns at once', async () => {
    const { tenant, one, other } = await newTenant()
    const columns = [column('a')]
    await one.call('PUT _tables/orders', { columns })
    const { body: first } = await other.call('POST orders', { a: '1' })
    for (let n = 1; n <= 5; n++) {
      columns.push(column(`n${n}`, { required: true, default: 'd' }))
      expect((await one.call('PUT _tables/orders', { columns })).status).toBe(200)
      const created = await other.call('POST orders', { [`n${n}`]: 'own' }, newKey())
      expect([created.status, created.body[`n${n}`]]).toEqual([201, 'own'])
      expect((await other.call(`PATCH orders/${first.id}`, { [`n${n}`]: 'new' })).status).toBe(200)
      expect((await other.call(`GET orders/${first.id}`)).body[`n${n}`]).toBe('new')
      expect((await other.call(`GET orders?order=-n${n}`)).status).toBe(200)
      const { body } = await one.call('POST orders', {}, newKey())
      expect((await other.call(`DELETE orders/${body.id}`)).body).toEqual(body)
    }
    const changes = await world.changes.until(tenant.projectId, 21)
    for (const { data, recordId } of changes.filter(({ operation }) => operation === 'INSERT')) {
      const names = columns.map(({ name }) => name).filter((name) => name in data)
      expect(Object.keys(data)).toEqual(['id', ...names, 'createdAt', 'updatedAt'])
      expect(recordId).toBe(data['id'])
    }
  })

  test('is gone once it is dropped, and is a new one when made again', async () => {
    const { one, other } = await newTenant()
    for (const type of ['text', 'integer', 'json', 'boolean']) {
      const value = { text: 'x', integer: 1, json: {}, boolean: true }[type]
      await one.call('PUT _tables/orders', { columns: [{ name: 'a', type }] })
      const created = await other.call('POST orders', { a: value })
      expect([created.status, created.body['a']]).toEqual([201, value])
      await one.call('DELETE _tables/orders')
      expect((await other.call('POST orders', { a: value })).body.error).toBe('TABLE_NOT_FOUND')
      expect((await other.call('GET orders')).body.error).toBe('TABLE_NOT_FOUND')
    }
  })

  test('while both write: no write fails, and each event has the columns of its answer', async () => {
    const { tenant, one, other } = await newTenant()
    const columns = [column('a')]
    await one.call('PUT _tables/orders', { columns })
    const stop = new AbortController()
    const writers = [one, other].flatMap((client) =>
      [() => ({}), newKey].map(async (headers) => {
        const answers = []
        while (!stop.signal.aborted) {
          answers.push(await client.call('POST orders', { a: 'x' }, headers()))
        }
        return answers
      }),
    )
    for (let n = 1; n <= 6; n++) {
      columns.push(column(`n${n}`, { default: 'd' }))
      expect((await one.call('PUT _tables/orders', { columns })).status).toBe(200)
    }
    stop.abort()
    const answers = (await Promise.all(writers)).flat()
    expect(answers.filter(({ status }) => status !== 201)).toEqual([])
    const changes = await world.changes.until(tenant.projectId, answers.length)
    const published = new Map(changes.map(({ recordId, record }) => [recordId, record]))
    expect(answers.every(({ body, text }) => published.get(body.id) === text)).toBe(true)
  })
})

test('one replica relays, and the other takes over when the first ends', async () => {
  const { tenant, one, other } = await newTenant()
  await one.call('PUT _tables/orders', { columns: [column('a')] })
  for (const { internal } of replicas) {
    expect((await fetch(`${internal}/readyz`)).status).toBe(200)
  }
  await one.call('POST orders', { a: '1' })
  await world.changes.until(tenant.projectId, 1)
  await replicas.shift()?.[Symbol.asyncDispose]()
  await other.call('POST orders', { a: '2' })
  const changes = await world.changes.until(tenant.projectId, 2)
  expect(changes.map(({ data }) => data['a'])).toEqual(['1', '2'])
})
