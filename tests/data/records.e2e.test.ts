import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Table } from '@surehook/contracts/http/data/tables'
import {
  admin,
  expectStatus,
  type Fields,
  fieldsOf,
  type Records,
} from '@surehook/scripts/client/call'
import { createToken, type Tenant } from '@surehook/scripts/client/tenant'
import {
  openSharedListeningWorld,
  type SharedListeningWorld,
} from '../support/shared/shared-world.ts'
import { eventually } from '../support/world.ts'

let world: SharedListeningWorld
let tenant: Tenant

beforeAll(async () => {
  world = await openSharedListeningWorld()
  tenant = await world.tenant()
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

const ask: Tenant['graphql'] = (...question) => tenant.graphql(...question)

/** A value of each type as written, and as read if that differs. */
const values: Record<string, [written: unknown, read?: unknown]> = {
  text: ['Grüße'],
  integer: [-7],
  bigint: ['9223372036854775807'],
  double: [0.5],
  decimal: ['10.00'],
  boolean: [false],
  timestamp: ['2026-02-03T04:05:06+02:00', '2026-02-03T02:05:06.000Z'],
  date: ['2024-02-29'],
  uuid: ['AAAAAAAA-0000-4000-8000-000000000000', 'aaaaaaaa-0000-4000-8000-000000000000'],
  json: [{ a: [1, null, { b: 'x' }] }],
}
const fieldOf = (type: string) => `a_${type}`
const written = Object.fromEntries(
  Object.entries(values).map(([type, [value]]) => [fieldOf(type), value]),
)
const read = Object.fromEntries(
  Object.entries(values).map(([type, [value, shown = value]]) => [fieldOf(type), shown]),
)

describe('tables', () => {
  it('are created, evolved, listed, shown and dropped', async () => {
    const of = await world.tenant()
    const columns = Object.keys(values).map((type) => ({ name: fieldOf(type), type }))
    const put = (input: object) => of.rest('PUT _tables/things', input)
    expectStatus(200, await put({ columns }))
    const { body: record } = expectStatus(201, await of.rest('POST things', written))
    expect(record).toMatchObject(read)
    expect(record.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/)
    const more = [...columns, { name: 'more', type: 'text', required: true, default: 'd' }]
    expectStatus(200, await put({ columns: more, access: { read: ['reader'] } }))
    expect((await of.rest(`GET things/${record.id}`)).body).toEqual({ ...record, more: 'd' })
    const lost = await put({ columns: columns.slice(1) })
    expect([lost.status, fieldsOf(lost)]).toEqual([400, ['columns', 'columns']])
    const shown = (await of.rest<Table>('GET _tables/things')).body
    expect(shown.access).toEqual({ read: ['reader'], create: [], update: [], delete: [] })
    const { tables } = (await of.rest<{ tables: Table[] }>('GET _tables')).body
    expect(tables.map(({ name }) => name)).toEqual(['orders', 'things'])
    expectStatus(204, await of.rest('DELETE _tables/things'))
    expect((await of.rest('GET things')).body.error).toBe('TABLE_NOT_FOUND')
  })

  it.each(['users', '_x', 'Upper', '1a', 'a-b', 'x'.repeat(64)])(
    'are not called %s',
    async (name) => {
      expect((await tenant.rest(`PUT _tables/${name}`, { columns: [] })).status).toBe(400)
    },
  )

  it.each(['and', 'or', 'not', 'changed', 'id', 'createdAt', 'updatedAt', 'A', 'xmin'])(
    'have no column called %s',
    async (name) => {
      const answer = await tenant.rest('PUT _tables/fine', { columns: [{ name, type: 'text' }] })
      expect([answer.status, fieldsOf(answer)]).toEqual([400, ['columns.0.name']])
    },
  )

  it.each([
    ['POST _tables', 'GET, HEAD'],
    ['DELETE _tables', 'GET, HEAD'],
    ['POST _tables/orders', 'DELETE, GET, HEAD, PUT'],
    ['PATCH _tables/orders', 'DELETE, GET, HEAD, PUT'],
    ['PUT orders', 'GET, HEAD, POST'],
    [`PUT orders/${randomUUID()}`, 'DELETE, GET, HEAD, PATCH'],
  ])('%s is 405', async (request, allow) => {
    const answer = await tenant.rest(request, {})
    expect([answer.status, answer.body.error]).toEqual([405, 'METHOD_NOT_ALLOWED'])
    expect(answer.headers.get('allow')).toBe(allow)
  })
})

describe('records', () => {
  it('are created, one alone, or several all or none', async () => {
    const one = expectStatus(201, await tenant.rest('POST orders', { n: 1 }))
    expect(one.body).toMatchObject({ n: 1, status: null })
    const several = expectStatus(201, await tenant.rest('POST orders', [{ n: 2 }, { n: 3 }]))
    expect(several.list.map(({ n }) => n)).toEqual([2, 3])
    const note = randomUUID()
    const none = await tenant.rest('POST orders', [{ note }, { note, n: 'x' }, { nope: 1 }])
    expect([none.status, fieldsOf(none)]).toEqual([400, ['1.n', '2.nope']])
    const where = encodeURIComponent(JSON.stringify({ note }))
    expect((await tenant.rest<Records>(`GET orders?where=${where}`)).body.records).toEqual([])
  })

  it('are listed in an order that writes do not disturb', async () => {
    const of = await world.tenant()
    const numbers = [5, null, 3, 3, null, 1, 4]
    expectStatus(
      201,
      await of.rest(
        'POST orders',
        numbers.map((n) => ({ n })),
      ),
    )
    const seen: unknown[] = []
    let cursor = ''
    do {
      const page = expectStatus(
        200,
        await of.rest<Records>(`GET orders?order=-n&limit=2${cursor}`),
      ).body
      seen.push(...page.records.map(({ n }) => n))
      // Inserted before and after the cursor's position. Neither may move the following pages.
      if (cursor === '') expectStatus(201, await of.rest('POST orders', [{ n: null }, { n: 100 }]))
      cursor = page.nextCursor === null ? '' : `&cursor=${page.nextCursor}`
    } while (cursor !== '')
    expect(seen.slice(0, 2)).toEqual([null, null])
    expect(seen.filter((n) => n !== null && n !== 100)).toEqual([5, 4, 3, 3, 1])
  })

  it.each([
    'limit=0',
    'limit=201',
    'limit=x',
    'order=nope',
    'order=n,n',
    'where=x',
    'cursor=x',
    'nope=1',
  ])('are not listed with ?%s', async (query) => {
    const answer = await tenant.rest(`GET orders?${query}`)
    expect([answer.status, fieldsOf(answer)]).toEqual([400, [query.split('=')[0]]])
  })

  it('a PATCH that changes nothing makes no event, others do', async () => {
    const of = await world.tenant()
    const listener = await world.listen(of)
    const { id } = await of.insert({ n: 1 })
    for (const n of [1, 2, 2, 3]) expectStatus(200, await of.rest(`PATCH orders/${id}`, { n }))
    const gone = expectStatus(200, await of.rest(`DELETE orders/${id}`))
    expect(gone.body).toMatchObject({ id, n: 3 })
    expect((await of.rest(`GET orders/${id}`)).body.error).toBe('RECORD_NOT_FOUND')
    const payloads = await listener.arrived(4)
    expect(payloads.map(({ event, changed_fields: fields }) => [event, fields])).toEqual([
      ['INSERT', []],
      ['UPDATE', ['n']],
      ['UPDATE', ['n']],
      ['DELETE', []],
    ])
  })

  it('a write with an Idempotency-Key is done once', async () => {
    const key = { 'idempotency-key': randomUUID() }
    const answers = await Promise.all(
      Array.from({ length: 5 }, () =>
        tenant.rest('POST orders', { note: key['idempotency-key'] }, key),
      ),
    )
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(answers[0]?.status).toBe(201)
    const other = await tenant.rest('POST orders', { note: 'other' }, key)
    expect([other.status, other.body.error, fieldsOf(other)]).toEqual([
      409,
      'CONFLICT',
      ['Idempotency-Key'],
    ])
  })

  it('are changed and deleted only if their ETag matches', async () => {
    const created = await tenant.rest('POST orders', { n: 1 })
    const path = `orders/${created.body.id}`
    const first = created.headers.get('etag') ?? ''
    const held = await tenant.rest(`GET ${path}`, undefined, { 'if-none-match': first })
    expect([held.status, held.text, held.headers.get('etag')]).toEqual([304, '', first])
    const changed = expectStatus(
      200,
      await tenant.rest(`PATCH ${path}`, { n: 2 }, { 'if-match': first }),
    )
    for (const request of [`PATCH ${path}`, `DELETE ${path}`]) {
      const body = request.startsWith('PATCH') ? { n: 3 } : undefined
      const stale = await tenant.rest(request, body, { 'if-match': first })
      expect([stale.status, stale.body.error]).toEqual([412, 'PRECONDITION_FAILED'])
    }
    const second = changed.headers.get('etag') ?? ''
    expectStatus(200, await tenant.rest(`DELETE ${path}`, undefined, { 'if-match': second }))
  })
})

describe('over GraphQL', () => {
  it('every type is written and read like over REST', async () => {
    const of = await world.tenant()
    const columns = Object.fromEntries(Object.keys(values).map((type) => [fieldOf(type), type]))
    await of.putTable('things', columns)
    const fields = Object.keys(written).join(' ')
    const query = `mutation ($input: Thing_new!) { createThing(input: $input) { id createdAt updatedAt ${fields} } }`
    const variables = { input: written }
    const { status, data, errors } = await of.graphql(query, variables)
    expect({ status, errors }).toEqual({ status: 200, errors: [] })
    const created = data?.['createThing']
    expect(created).toMatchObject(read)
    expect((await of.rest(`GET things/${created?.id}`)).body).toEqual(created)
  })

  it('the operations do the same as those of REST, and make the same events', async () => {
    const listener = await world.listen(tenant)
    const made = await ask<Fields[]>(
      'mutation { createOrders(input: [{ n: 41, note: "gq" }, { n: 42, note: "gq" }]) { id n } }',
    )
    const [first, second] = made.data?.['createOrders'] ?? []
    const listed = await ask(
      '{ orders(where: { note: { eq: "gq" } }, order: "-n", limit: 1) { records { n } nextCursor } }',
    )
    expect(listed.data?.['orders']).toEqual({
      records: [{ n: 42 }],
      nextCursor: expect.any(String),
    })
    const change = 'mutation ($id: ID!) { updateOrder(id: $id, input: { n: 43 }) { n } }'
    expect((await ask(change, { id: first?.id })).data).toEqual({ updateOrder: { n: 43 } })
    const removed = await ask('mutation ($id: ID!) { deleteOrder(id: $id) { n } }', {
      id: second?.id,
    })
    expect(removed.data).toEqual({ deleteOrder: { n: 42 } })
    const got = await ask('query ($id: ID!) { order(id: $id) { n } }', { id: second?.id })
    expect([got.status, got.data, got.codes]).toEqual([200, { order: null }, ['RECORD_NOT_FOUND']])
    const payloads = await listener.arrived(4)
    expect(
      payloads.map(({ event, record }) => `${event} ${String(record['n'])}`).toSorted(),
    ).toEqual(['DELETE 42', 'INSERT 41', 'INSERT 42', 'UPDATE 43'])
  })

  it('a failure is an entry in errors with the error of REST', async () => {
    const { status, data, errors } = await ask(`mutation {
      bad: createOrder(input: { n: 1, note: "a\\u0000" }) { id }
      good: createOrder(input: { n: 2 }) { n }
    }`)
    expect({ status, data }).toEqual({ status: 200, data: { bad: null, good: { n: 2 } } })
    expect(errors).toMatchObject([
      { path: ['bad'], extensions: { code: 'VALIDATION_ERROR', violations: [{ field: 'note' }] } },
    ])
    const listed = await ask('{ orders(limit: 500, order: "x") { nextCursor } }')
    expect(listed.errors[0]?.extensions.violations?.map(({ field }) => field)).toEqual(['limit'])
  })

  it('a management token that was revoked is refused', async () => {
    const { id, token } = await createToken(world.system, tenant.projectId)
    const headers = { authorization: `Bearer ${token}` }
    expect((await ask('{ __typename }', {}, headers)).codes).toEqual([])
    expectStatus(
      204,
      await admin(world.system, `DELETE /${tenant.projectId}/management-tokens/${id}`),
    )
    const codes = async () => (await ask('{ __typename }', {}, headers)).codes.join()
    await eventually(codes, (now) => now === 'MANAGEMENT_TOKEN_INVALID')
  })
})
