import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { type Client, fieldsOf } from '@surehook/scripts/client/call'
import { until } from '@surehook/testing/until'
import { Client as Database } from 'pg'
import { clientOf } from './support/client.ts'
import { openWorld, type Running, type Tenant, type World } from './support/under-test.ts'

let world: World
let running: Running
let tenant: Tenant
let client: Client
let database: Database

beforeAll(async () => {
  world = await openWorld()
  running = await world.startService()
  database = new Database({ connectionString: world.database.databaseUrl })
  await database.connect()
})
beforeEach(async () => {
  tenant = await world.tenant()
  client = clientOf(running.api, tenant)
})
afterAll(async () => {
  await database?.end()
  await running?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

const change = (recordId: string, more: object = {}) => ({
  table: 'invoices',
  event: 'INSERT',
  recordId,
  record: { id: recordId },
  ...more,
})
const publish = (body: unknown) => client.call('POST _changes', body)
const idsOf = ({ body }: { body: object }) => (body as { ids: string[] }).ids
const published = (count: number) => world.changes.until(tenant.projectId, count)

describe('the same id', () => {
  test('publishes once and answers alike', async () => {
    const id = randomUUID()
    const body = change('1', { id, record: { a: 1, b: 2 } })
    const again = change('1', { id: id.toUpperCase(), record: { b: 2, a: 1 } })
    const list = [change('2'), body, body]
    expect([await publish(body), await publish(again)].map(idsOf)).toEqual([[id], [id]])
    expect(idsOf(await publish(list)).slice(1)).toEqual([id, id])
    await publish(change('3'))
    expect((await published(3)).map(({ recordId }) => recordId)).toEqual(
      expect.arrayContaining(['1', '2', '3']),
    )
    expect(world.changes.of(tenant.projectId)).toHaveLength(3)
  })

  test('of a change that got its id from Surehook is known, too', async () => {
    const [id] = idsOf(await publish(change('1')))
    expect(idsOf(await publish(change('1', { id })))).toEqual([id])
    await publish(change('2'))
    expect(await published(2)).toHaveLength(2)
  })

  test('publishes once, however many come at once, and on whichever replica', async () => {
    await using other = await world.startService()
    const clients = [client, clientOf(other.api, tenant)]
    const id = randomUUID()
    const single = change('1', { id })
    const batch = [change('2', { id: randomUUID() }), single]
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        clients[n % 2]?.call(
          'POST _changes',
          n % 4 === 3 ? batch.toReversed() : n % 4 === 2 ? batch : single,
        ),
      ),
    )
    expect(new Set(answers.map((answer) => answer?.status))).toEqual(new Set([202]))
    await publish(change('3'))
    const changes = await published(3)
    expect(changes.map(({ recordId }) => recordId).toSorted()).toEqual(['1', '2', '3'])
  })

  test.each([
    { record: { id: '1', more: 1 } },
    { event: 'DELETE' },
    { recordId: '2' },
    { table: 'others' },
    { timestamp: '2026-01-02T03:04:05Z' },
  ])('with another content, %j, is a conflict and publishes nothing', async (more) => {
    const id = randomUUID()
    await publish(change('1', { id }))
    const other = change('1', { id, ...more })
    const one = await publish(other)
    expect([one.status, one.body.error, fieldsOf(one)]).toEqual([409, 'CONFLICT', ['id']])
    const many = await publish([change('3'), change('4'), other])
    expect([many.status, fieldsOf(many)]).toEqual([409, ['2.id']])
    const within = await publish([change('3'), ...twice()])
    expect([within.status, fieldsOf(within)]).toEqual([409, ['2.id']])
    await publish(change('5'))
    expect((await published(2)).map(({ recordId }) => recordId).toSorted()).toEqual(['1', '5'])
  })

  const twice = () => {
    const id = randomUUID()
    return [change('1', { id }), change('2', { id })]
  }

  test('that comes at once with several contents is the first of them', async () => {
    const id = randomUUID()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => publish(change('1', { id, record: { n: n % 4 } }))),
    )
    const done = answers.flatMap(({ status }, n) => (status === 202 ? [n % 4] : []))
    expect(answers.every(({ status }) => status === 202 || status === 409)).toBe(true)
    expect(new Set(done).size).toBe(1)
    expect((await published(1)).map(({ data }) => data['n'])).toEqual([done[0]])
  })

  test('belongs to one project and one environment', async () => {
    const id = randomUUID()
    const other = await world.tenant({ projectId: tenant.projectId, environment: 'test' })
    const stranger = await world.tenant()
    for (const [n, each] of [tenant, other, stranger].entries()) {
      const answer = await clientOf(running.api, each).call(
        'POST _changes',
        change('1', { id, record: { n } }),
      )
      expect([answer.status, idsOf(answer)]).toEqual([202, [id]])
    }
    const changes = await published(2)
    expect(changes.map(({ environment, data }) => [environment, data['n']]).toSorted()).toEqual([
      ['master', 0],
      ['test', 1],
    ])
  })

  test('is free again after a day', async () => {
    const id = randomUUID()
    await publish(change('1', { id }))
    await database.query(
      `update published_change set published_at = now() - interval '25 hours' where id = $1`,
      [id],
    )
    // A replica deletes what has ended as soon as it starts.
    await using _other = await world.startService()
    const count = async () =>
      (await database.query('select from published_change where id = $1', [id])).rowCount
    await until(async () => (await count()) === 0)
    await publish(change('2', { id }))
    expect((await published(2)).map(({ recordId }) => recordId)).toEqual(['1', '2'])
  })
})
