import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import {
  type Client,
  fieldsOf,
  headersOf,
  type RequestHeaders,
} from '@surehook/scripts/client/call'
import { clientOf } from './support/client.ts'
import { type GraphQLClient, graphqlClientOf } from './support/graphql-client.ts'
import { openWorld, type Running, type Tenant, type World } from './support/under-test.ts'

let world: World
let service: Running
let tenant: Tenant
let client: Client
let ask: GraphQLClient

beforeAll(async () => {
  world = await openWorld()
  service = await world.startService()
})
beforeEach(async () => {
  tenant = await world.tenant()
  client = clientOf(service.api, tenant)
  ask = graphqlClientOf(service.api, tenant)
  const columns = ['decimal', 'double', 'json', 'bigint'].map((type) => ({
    name: `a_${type}`,
    type,
  }))
  await client.call('PUT _tables/things', { columns })
})
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

describe('a published number that a double does not hold is refused at its place', () => {
  const record = '{"id":"1","n":[0,9007199254740993]}'
  const fraction = '{"n":0.12345678901234567890}'
  const attributes = { specversion: '1.0', id: '1', source: '/b', type: 'x.insert', subject: 'b/1' }
  const inHeaders: RequestHeaders = Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [`ce-${name}`, value]),
  )
  const one = (text: string) => `{"table":"b","event":"INSERT","recordId":"1","record":${text}}`
  const event = (text: string) => `${JSON.stringify(attributes).slice(0, -1)},"data":${text}}`
  const structured = { 'content-type': 'application/cloudevents+json' }
  const batch = { 'content-type': 'application/cloudevents-batch+json' }

  test.each([
    ['a change', one(record), {}, 'record.n.1'],
    ['a change', one(fraction), {}, 'record.n'],
    ['a list', `[${one('{}')},${one(record)}]`, {}, '1.record.n.1'],
    ['a CloudEvent', event(record), structured, 'data.n.1'],
    ['a CloudEvent', event(fraction), structured, 'data.n'],
    ['a batch', `[${event('{}')},${event(fraction)}]`, batch, '1.data.n'],
    ['a binary CloudEvent', record, inHeaders, 'n.1'],
    ['a binary CloudEvent', fraction, inHeaders, 'n'],
  ])('%s: %s', async (_, body, headers, place) => {
    const answer = await client.call('POST _changes', body, headers)
    expect([answer.status, fieldsOf(answer)]).toEqual([400, [place]])
  })

  test('others arrive as they were sent', async () => {
    const kept = '{"a":[9007199254740991,0.1,1.5e-7,0.30000000000000004]}'
    expect((await client.call('POST _changes', one(kept))).status).toBe(202)
    const [published] = await world.changes.until(tenant.projectId, 1)
    expect(published?.record).toBe(kept)
  })
})

describe('a number of a record that a double does not hold', () => {
  const long = '0.12345678901234567890'

  test.each([
    [`{"a_json":${long}}`, ['a_json']],
    [`{"a_json":{"x":[${long}]}}`, ['a_json.x.0']],
    ['{"a_json":1e-400}', ['a_json']],
    ['{"a_decimal":0.100000000000000000001}', ['a_decimal']],
    ['{"a_bigint":1.00000000000000000001}', ['a_bigint']],
    [`[{"a_json":1},{"a_json":[${long}]}]`, ['1.a_json.0']],
  ])('is refused at its place: %s', async (body, places) => {
    const answer = await client.call('POST things', body)
    expect([answer.status, fieldsOf(answer)]).toEqual([400, places])
  })

  test('is rounded in a double', async () => {
    const answer = await client.call('POST things', `{"a_double":${long}}`)
    expect([answer.status, answer.body['a_double']]).toEqual([201, Number(long)])
  })

  test('is refused in GraphQL, in literals and variables', async () => {
    const literal = await ask(`mutation { createThing(input: { a_json: { x: ${long} } }) { id } }`)
    expect(literal.errors?.[0]?.message).toContain('send it as a string')
    const query = 'mutation ($input: Thing_new!) { createThing(input: $input) { a_double } }'
    const asked = (input: string) => askInJson(query, `{"input":${input}}`)
    expect(await asked(`{"a_json":${long}}`)).toContain('"variables.input.a_json"')
    expect(await asked(`{"a_json":[1,${long}]}`)).toContain('"variables.input.a_json.1"')
    expect(await asked(`{"a_double":${long}}`)).toContain(`"a_double":${Number(long)}`)
  })

  test('is refused in the filters of GraphQL, in literals and variables', async () => {
    const literal = await ask(
      `{ things(where: { a_json: { x: { gt: ${long} } } }) { records { id } } }`,
    )
    expect(literal.errors?.[0]?.message).toContain('send it as a string')
    const query = 'query ($where: Thing_where) { things(where: $where) { records { id } } }'
    const asked = (where: string) => askInJson(query, `{"where":${where}}`)
    const place = 'variables.where.and.0'
    expect(await asked(`{"and":[{"a_decimal":{"eq":${long}}}]}`)).toContain(
      `"${place}.a_decimal.eq"`,
    )
    expect(await asked(`{"a_decimal":{"in":[1,${long}]}}`)).toContain(
      '"variables.where.a_decimal.in.1"',
    )
    expect(await asked(`{"a_json":{"x":{"gt":${long}}}}`)).toContain(
      '"variables.where.a_json.x.gt"',
    )
    expect(await asked(`{"a_double":{"gt":${long}}}`)).toContain('"data"')
  })

  test.each([
    [`{"a_decimal":${long}}`, 'where.a_decimal'],
    ['{"a_decimal":{"in":[1,9007199254740993]}}', 'where.a_decimal.in.1'],
    [`{"not":{"a_json.x":{"gt":${long}}}}`, 'where.not.a_json.x.gt'],
  ])('is refused in a filter of REST: %s', async (where, place) => {
    const answer = await client.call(`GET things?where=${encodeURIComponent(where)}`)
    expect([answer.status, fieldsOf(answer)]).toEqual([400, [place]])
  })

  test('may be in a filter of a double', async () => {
    const where = encodeURIComponent(`{"a_double":{"lt":${long}}}`)
    expect((await client.call(`GET things?where=${where}`)).status).toBe(200)
  })

  /** `variables` is text, because `JSON.stringify` would round it. */
  function askInJson(query: string, variables: string): Promise<string> {
    return fetch(`${service.api}/api/graphql`, {
      method: 'POST',
      headers: { ...headersOf(tenant), 'content-type': 'application/json' },
      body: `{"query":${JSON.stringify(query)},"variables":${variables}}`,
    }).then((response) => response.text())
  }
})

describe('a default that a double does not hold', () => {
  const long = '0.12345678901234567890'
  const put = (type: string, value: string) =>
    client.call(
      'PUT _tables/others',
      `{"columns":[{"name":"a","type":"${type}","default":${value}}]}`,
    )

  test.each([
    ['json', long, 'columns.0.default'],
    ['json', `{"x":[${long}]}`, 'columns.0.default.x.0'],
    ['decimal', '0.100000000000000000001', 'columns.0.default'],
    ['bigint', '9007199254740993', 'columns.0.default'],
  ])('of a column of type %s is refused at its place: %s', async (type, value, place) => {
    const answer = await put(type, value)
    expect([answer.status, fieldsOf(answer)]).toEqual([400, [place]])
  })

  test('is rounded in a double', async () => {
    expect((await put('double', long)).status).toBe(200)
    expect((await client.call('POST others', {})).body['a']).toBe(Number(long))
  })
})

describe('a decimal in exponent notation', () => {
  const text = '0.0000001'

  test('is accepted as a JSON number', async () => {
    const one = await client.call('POST things', '{"a_decimal":1e-7}')
    expect(one.body['a_decimal']).toBe(text)
    const list = await client.call(
      'POST things',
      '[{"a_decimal":0.0000001},{"a_decimal":-1.5E+21}]',
    )
    expect(list.list.map((record) => record['a_decimal'])).toEqual([
      text,
      '-1500000000000000000000',
    ])
    const changed = await client.call(`PATCH things/${one.body['id']}`, '{"a_decimal":2.5e-10}')
    expect(changed.body['a_decimal']).toBe('0.00000000025')
  })

  test('is a default', async () => {
    const columns = [{ name: 'a', type: 'decimal', default: 1e-7 }]
    await client.call('PUT _tables/prices', { columns })
    expect((await client.call('POST prices', {})).body['a']).toBe(text)
  })

  test('is accepted in GraphQL, and in its filters', async () => {
    const created = 'mutation ($a: Decimal) { createThing(input: { a_decimal: $a }) { a_decimal } }'
    expect((await ask(created, { a: 1e-7 })).data).toEqual({ createThing: { a_decimal: text } })
    const literal = 'mutation { createThing(input: { a_decimal: 1.0e-7 }) { a_decimal } }'
    expect((await ask(literal)).data).toEqual({ createThing: { a_decimal: '0.00000010' } })
    const found = (filter: string) =>
      ask<object>(`{ things(where: { a_decimal: { ${filter} } }) { records { a_decimal } } }`)
    expect(JSON.stringify((await found('eq: 1e-7')).data)).toContain(text)
    expect(JSON.stringify((await found('in: [1e-7, 3]')).data)).toContain(text)
  })
})
