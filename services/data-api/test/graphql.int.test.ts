import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Client, Records } from '@surehook/scripts/client/call'
import {
  buildClientSchema,
  getIntrospectionQuery,
  type IntrospectionQuery,
  printSchema,
} from 'graphql'
import { clientOf } from './support/client.ts'
import { type GraphQLClient, graphqlClientOf } from './support/graphql-client.ts'
import { openWorld, type Running, type Tenant, type World } from './support/under-test.ts'

let world: World
let service: Running
let tenant: Tenant
let rest: Client
let ask: GraphQLClient

const columns = [
  { name: 'status', type: 'text', required: true },
  { name: 'note', type: 'text', default: 'none' },
  { name: 'code', type: 'text', unique: true },
  { name: 'n', type: 'integer' },
  { name: 'big', type: 'bigint' },
  { name: 'ratio', type: 'double' },
  { name: 'price', type: 'decimal' },
  { name: 'done', type: 'boolean' },
  { name: 'at', type: 'timestamp' },
  { name: 'day', type: 'date' },
  { name: 'ref', type: 'uuid' },
  { name: 'meta', type: 'json' },
]
const allFields = `id createdAt updatedAt ${columns.map(({ name }) => name).join(' ')}`

beforeAll(async () => {
  world = await openWorld()
  service = await world.startService()
  tenant = await world.tenant()
  rest = clientOf(service.api, tenant)
  ask = graphqlClientOf(service.api, tenant)
  await rest.call('PUT _tables/orders', { columns })
})
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

const full = {
  status: 'paid',
  note: 'Grüße',
  code: null,
  n: 7,
  big: '9223372036854775807',
  ratio: 0.5,
  price: '10.00',
  done: false,
  at: '2026-02-03T02:05:06.789Z',
  day: '2024-02-29',
  ref: 'aaaaaaaa-0000-4000-8000-000000000000',
  meta: { city: 'Rome', tags: ['a', 'b'], geo: { lat: 1.5 } },
}

describe('GraphQL', () => {
  it('writes and reads every type as REST does', async () => {
    const create = `mutation ($input: Order_new!) { createOrder(input: $input) { ${allFields} } }`
    const created = await ask(create, { input: full })
    expect(created).toMatchObject({ status: 200, errors: [], data: { createOrder: full } })
    const id = created.data?.['createOrder']?.id ?? ''
    expect((await rest.call(`GET orders/${id}`)).body).toEqual(created.data?.['createOrder'])
    const got = await ask(`query ($id: ID!) { order(id: $id) { ${allFields} } }`, { id })
    expect(got.data?.['order']).toEqual(created.data?.['createOrder'])
  })

  it('accepts literals in the document', async () => {
    const { data, errors } = await ask(`mutation { createOrder(input: {
      status: "x", big: 9007199254740993, price: 12.340, ratio: 2, done: true, at: "2026-02-03T04:05:06+02:00",
      meta: { a: [1, "x", null, { b: true }] }
    }) { big price ratio done at note meta } }`)
    expect(errors).toEqual([])
    expect(data?.['createOrder']).toEqual({
      big: '9007199254740993',
      price: '12.340',
      ratio: 2,
      done: true,
      at: '2026-02-03T02:05:06.000Z',
      note: 'none',
      meta: { a: [1, 'x', null, { b: true }] },
    })
  })

  it('changes and deletes records, and makes the same events as REST', async () => {
    const other = await world.tenant()
    const to = clientOf(service.api, other)
    await to.call('PUT _tables/orders', { columns })
    const askOther = graphqlClientOf(service.api, other)
    const { data } = await askOther('mutation { createOrder(input: { status: "new" }) { id } }')
    const id = data?.['createOrder']?.id ?? ''
    const change = `mutation ($id: ID!, $input: Order_changes!) { updateOrder(id: $id, input: $input) { status note } }`
    const changed = await askOther(change, { id, input: { status: 'paid', note: null } })
    expect(changed.data?.['updateOrder']).toEqual({ status: 'paid', note: null })
    await askOther(change, { id, input: { status: 'paid' } })
    const gone = await askOther('mutation ($id: ID!) { deleteOrder(id: $id) { id status } }', {
      id,
    })
    expect(gone.data?.['deleteOrder']).toEqual({ id, status: 'paid' })
    const missing = await askOther('query ($id: ID!) { order(id: $id) { id } }', { id })
    expect(missing).toMatchObject({ data: { order: null }, codes: ['RECORD_NOT_FOUND'] })
    const changes = await world.changes.until(other.projectId, 3)
    expect(
      changes.map(({ operation, recordId, changedFields }) => [operation, recordId, changedFields]),
    ).toEqual([
      ['INSERT', id, []],
      ['UPDATE', id, ['status', 'note']],
      ['DELETE', id, []],
    ])
  })

  it('creates all of several records or none', async () => {
    const create = `mutation ($input: [Order_new!]!) { createOrders(input: $input) { status } }`
    const inputs = ['a', 'b', 'c'].map((status) => ({ status }))
    const made = await ask(create, { input: inputs })
    expect(made.data?.['createOrders']).toEqual(inputs)
    const refused = await ask(create, { input: [{ status: 'none' }, { n: 1 }, { status: 'none' }] })
    expect(refused).toMatchObject({
      data: { createOrders: null },
      codes: ['VALIDATION_ERROR'],
      errors: [{ extensions: { violations: [{ field: '1.status', message: 'is required' }] } }],
    })
    const empty = await ask(create, { input: [] })
    expect(empty.errors).toMatchObject([{ extensions: { violations: [{ field: 'input' }] } }])
    const none = await ask<Records>(
      '{ orders(where: { status: { eq: "none" } }) { records { id } } }',
    )
    expect(none.data?.['orders']?.records).toEqual([])
  })

  it('runs mutations in order, each by itself', async () => {
    const { data, errors } = await ask(`mutation {
      first: createOrder(input: { status: "1", code: "only" }) { status }
      again: createOrder(input: { status: "2", code: "only" }) { status }
      bad: createOrder(input: { day: "2026-02-30" }) { status }
      last: createOrder(input: { status: "4" }) { status createdAt }
    }`)
    expect(data).toMatchObject({
      first: { status: '1' },
      again: null,
      bad: null,
      last: { status: '4' },
    })
    expect(errors.map(({ path, extensions }) => [path, extensions])).toEqual([
      [
        ['again'],
        {
          code: 'CONFLICT',
          violations: [{ field: 'code', message: expect.any(String), rule: 'not_unique' }],
        },
      ],
      [
        ['bad'],
        {
          code: 'VALIDATION_ERROR',
          violations: expect.arrayContaining([
            { field: 'status', message: 'is required', rule: 'required' },
            { field: 'day', message: 'must be a date, YYYY-MM-DD', rule: 'unfit_value' },
          ]),
        },
      ],
    ])
  })
})

describe('the schema', () => {
  it('follows the tables, on every replica', async () => {
    const other = await world.tenant()
    const [to, asks] = [clientOf(service.api, other), graphqlClientOf(service.api, other)]
    await using second = await world.startService()
    const asksSecond = graphqlClientOf(second.api, other)
    expect((await asks('{ __typename }')).data).toEqual({ __typename: 'Query' })
    expect((await asks('{ things { records { id } } }')).codes).toEqual(['VALIDATION_ERROR'])
    await to.call('PUT _tables/things', { columns: [{ name: 'a', type: 'text' }] })
    const list = (field: string) => `{ things { records { ${field} } } }`
    for (const at of [asks, asksSecond]) expect((await at(list('a'))).codes).toEqual([])
    for (const at of [asks, asksSecond])
      expect((await at(list('b'))).codes).toEqual(['VALIDATION_ERROR'])
    await to.call('PUT _tables/things', {
      columns: [
        { name: 'a', type: 'text' },
        { name: 'b', type: 'json' },
      ],
    })
    for (const at of [asks, asksSecond]) expect((await at(list('b'))).codes).toEqual([])
    await to.call('DELETE _tables/things')
    for (const at of [asks, asksSecond])
      expect((await at(list('a'))).codes).toEqual(['VALIDATION_ERROR'])
  })

  it('is valid, whatever the names of the tables', async () => {
    const other = await world.tenant()
    const to = clientOf(service.api, other)
    const names = [
      'query',
      'queries',
      'strings',
      'sheep',
      'order',
      'orders',
      'order_list',
      'a__b',
      'a_1',
    ]
    for (const name of names) {
      const of =
        name === 'sheep'
          ? []
          : [
              { name: 'eq', type: 'json' },
              { name: 'records', type: 'text' },
            ]
      expect((await to.call(`PUT _tables/${name}`, { columns: of })).status).toBe(200)
    }
    const { text, errors } = await graphqlClientOf(service.api, other)(getIntrospectionQuery())
    expect(errors).toEqual([])
    const schema = buildClientSchema((JSON.parse(text) as { data: IntrospectionQuery }).data)
    const query = Object.keys(schema.getQueryType()?.getFields() ?? {})
    expect(query).toHaveLength(2 * names.length)
    expect(printSchema(schema)).toContain('createSheep_one(input: Sheep_one_new!): Sheep_one')
  })
})

describe('a value that does not fit', () => {
  const list = 'query ($where: Order_where) { orders(where: $where) { nextCursor } }'

  it.each([
    ['{ orders(where: { nope: "v424242" }) { nextCursor } }', {}],
    ['{ orders(where: { statu: { eq: "v424242" } }) { nextCursor } }', {}],
    ['{ orders(where: { status: "v424242" }) { nextCursor } }', {}],
    [list, { where: { statu: 'v424242' } }],
    [list, { where: { and: [{ status: { eq: ['v424242'] } }] } }],
  ])('is reported without its value: %s %j', async (query, variables) => {
    const { codes, text } = await ask(query, variables)
    expect(codes).toEqual(['VALIDATION_ERROR'])
    expect(text).not.toContain('v424242')
  })

  it('is reported once for a variable, however many faults it has', async () => {
    const where = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`c${i}`, {}]))
    const { errors } = await ask(list, { where })
    expect(errors.length).toBeLessThanOrEqual(2)
    const fields = Object.keys(where).slice(0, 1_000).join(': {} ')
    const literal = await ask(`{ orders(where: { ${fields}: {} }) { nextCursor } }`)
    expect(literal.errors.length).toBeLessThanOrEqual(21)
    expect(literal.text.length).toBeLessThan(20_000)
  })

  it('is refused if it is nested too deep', async () => {
    const deep = `${'['.repeat(2_000)}${']'.repeat(2_000)}`
    const { codes } = await ask(`{ orders(where: { meta: ${deep} }) { nextCursor } }`)
    expect(codes).toEqual(['VALIDATION_ERROR'])
  })
})

describe('bounds', () => {
  const lists = (count: number) =>
    Array.from({ length: count }, (_, i) => `l${i}: orders(limit: 1) { records { id } }`).join(' ')

  it.each([
    ['costs more', `{ ${lists(31)} }`],
    [
      'more than 60 aliases',
      `mutation { ${Array.from({ length: 61 }, (_, i) => `a${i}: none`).join(' ')} }`,
    ],
    ['a field more than 5 times', `{ orders { records { ${'id '.repeat(6)} } } }`],
    ['deeper than 6 levels', `${'{ none '.repeat(8)}${'}'.repeat(8)}`],
    [
      '__schema more than once',
      `{ a: __schema { types { name } } b: __schema { types { name } } }`,
    ],
    ['token', `{ orders(where: { ${'n: {} '.repeat(2_000)} }) { nextCursor } }`],
  ])('%s: refused', async (message, query) => {
    const { status, codes, errors } = await ask(query)
    expect({ status, codes }).toEqual({ status: 400, codes: ['VALIDATION_ERROR'] })
    expect(errors[0]?.message).toContain(message)
  })

  it('refuses variables of more objects than one list may have records', async () => {
    const query = 'query ($where: Order_where) { orders(where: $where) { nextCursor } }'
    const of = (count: number) => ({ where: { and: Array<object>(count).fill({}) } })
    const tooMany = await ask(query, of(1_000))
    expect(tooMany.codes).toEqual(['VALIDATION_ERROR'])
    expect(tooMany.errors[0]?.message).toContain('more than 1000 objects')
    expect((await ask(query, of(20))).errors).toEqual([])
  })

  it('accepts the requests of people and tools', async () => {
    expect((await ask(`{ ${lists(25)} }`)).errors).toEqual([])
    expect((await ask(getIntrospectionQuery())).errors).toEqual([])
  })
})
