import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { listTables, Table } from '@surehook/contracts/http/data/tables'
import type { ReplyOf } from '@surehook/contracts/operation'
import { type Client as ApiClient, fieldsOf, type Records } from '@surehook/scripts/client/call'
import { Client } from 'pg'
import { schemaName } from '../src/tables/ddl/schema-name.ts'
import { clientOf } from './support/client.ts'
import { openWorld, type Running, type World } from './support/under-test.ts'

let world: World
let running: Running
let client: ApiClient

beforeAll(async () => {
  world = await openWorld()
  running = await world.startService()
  client = clientOf(running.api, await world.tenant())
})

afterAll(async () => {
  await running?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

const text = (name: string, rest: object = {}) => ({ name, type: 'text', ...rest })

describe('PUT _tables/{table}', () => {
  test('makes a table with every type, and answers with its definition', async () => {
    const types = ['text', 'integer', 'bigint', 'double', 'decimal']
    types.push('boolean', 'timestamp', 'date', 'uuid', 'json')
    const columns = types.map((type) => ({ name: `a_${type}`, type }))
    const { status, body } = await client.call('PUT _tables/everything', {
      columns,
      access: { read: ['member', 'guest'] },
    })
    expect(status).toBe(200)
    expect(body).toEqual({
      name: 'everything',
      columns: columns.map((one) => ({ ...one, required: false, unique: false, default: null })),
      access: { read: ['member', 'guest'], create: [], update: [], delete: [] },
      source: null,
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: expect.stringMatching(/Z$/),
    })
    expect((await client.call('GET _tables/everything')).body).toEqual(body)
  })

  test('again with the same changes nothing', async () => {
    const input = { columns: [text('a', { required: true, default: 'x' })] }
    const { body: first } = await client.call('PUT _tables/same', input)
    expect((await client.call('PUT _tables/same', input)).body).toEqual(first)
  })

  test('adds columns, relaxes constraints and changes defaults while records stay', async () => {
    const columns = [text('a', { required: true }), text('b', { unique: true })]
    await client.call('PUT _tables/growing', { columns })
    const { body: record } = await client.call('POST growing', { a: '1', b: '1' })
    const { status, body } = await client.call<Table>('PUT _tables/growing', {
      columns: [
        text('n', { required: true, default: "it's" }),
        text('a'),
        text('b', { default: 'x' }),
        text('u', { unique: true }),
      ],
    })
    expect(status).toBe(200)
    expect(body.columns.map(({ name }) => name)).toEqual(['a', 'b', 'n', 'u'])
    expect((await client.call(`GET growing/${record.id}`)).body).toEqual({
      ...record,
      n: "it's",
      u: null,
    })
    const { body: second } = await client.call('POST growing', { b: '1', u: '1' })
    expect(second).toMatchObject({ a: null, b: '1', n: "it's", u: '1' })
    expect((await client.call('POST growing', { u: '1' })).status).toBe(409)
  })

  test('refuses each change that would lose data by name, and changes nothing', async () => {
    const columns = [text('a'), text('b'), text('c', { required: true })]
    const { body: before } = await client.call('PUT _tables/kept', { columns })
    await client.call('POST kept', { c: '1' })
    const answer = await client.call('PUT _tables/kept', {
      columns: [
        { name: 'b', type: 'integer' },
        text('c', { unique: true }),
        text('d', { required: true }),
        text('e', { default: 5 }),
      ],
    })
    expect(answer.status).toBe(400)
    expect(answer.body.error).toBe('VALIDATION_ERROR')
    expect(fieldsOf(answer)).toEqual([
      'columns',
      'columns.0.type',
      'columns.1.unique',
      'columns.2.required',
      'columns.3.default',
    ])
    expect((await client.call('GET _tables/kept')).body).toEqual(before)
  })

  test.each([
    ['no columns', {}, ['columns']],
    ['an unknown field', { columns: [], more: 1 }, ['more']],
    ['an unknown type', { columns: [{ name: 'a', type: 'blob' }] }, ['columns.0.type']],
    [
      'reserved columns',
      { columns: [text('id'), text('and')] },
      ['columns.0.name', 'columns.1.name'],
    ],
    ['a column twice', { columns: [text('a'), text('a')] }, ['columns.1.name']],
    ['an unknown action', { columns: [], access: { write: ['a'] } }, ['access.write']],
    ['roles that are no names', { columns: [], access: { read: ['a b'] } }, ['access.read.0']],
  ])('%s: 400 naming each fault', async (_, input, fields) => {
    const answer = await client.call('PUT _tables/faulty', input)
    expect(answer.status).toBe(400)
    expect(fieldsOf(answer)).toEqual(fields)
    expect((await client.call('GET _tables/faulty')).status).toBe(404)
  })

  test.each(['users', '_own', 'Orders', '1st', 'a-b', 'a%22b', `a${'b'.repeat(63)}`, 'a%00'])(
    'a table cannot be named %s',
    async (name) => {
      const answer = await client.call(`PUT _tables/${name}`, { columns: [] })
      expect([answer.status, fieldsOf(answer)]).toEqual([400, ['table']])
    },
  )

  test('many at once make one table with all requested columns', async () => {
    const base = [text('a')]
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => client.call('PUT _tables/raced', { columns: base })),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200))
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1)

    const grown = await Promise.all(
      [1, 2, 3].map((n) => client.call('PUT _tables/raced', { columns: [...base, text(`n${n}`)] })),
    )
    // The second change would drop the column of the first.
    const refused = grown.filter(({ status }) => status === 400)
    expect([grown.length, refused.length]).toEqual([3, 2])
  })

  test('while others write: every write succeeds, with the columns of its time', async () => {
    await client.call('PUT _tables/busy', { columns: [text('a')] })
    const stop = new AbortController()
    const writers = [1, 2, 3, 4].map(async () => {
      const seen = []
      while (!stop.signal.aborted) seen.push(await client.call('POST busy', { a: 'x' }))
      return seen
    })
    const columns = [text('a')]
    for (let n = 1; n <= 8; n++) {
      columns.push(text(`c${n}`, { required: true, default: `${n}` }))
      expect((await client.call('PUT _tables/busy', { columns })).status).toBe(200)
      expect((await client.call('POST busy', { a: 'y', [`c${n}`]: 'own' })).status).toBe(201)
    }
    stop.abort()
    const answers = (await Promise.all(writers)).flat()
    expect(answers.filter(({ status }) => status !== 201)).toEqual([])
    for (const { body } of answers) {
      const { body: now } = await client.call(`GET busy/${body.id}`)
      expect(now).toMatchObject(body)
    }
  })
})

describe('a table that a long transaction holds', () => {
  test('cannot be changed (503) but written meanwhile, and is changed when it is free', async () => {
    const tenant = await world.tenant()
    const own = clientOf(running.api, tenant)
    await own.call('PUT _tables/held', { columns: [text('a')] })
    const reader = new Client({ connectionString: world.database.databaseUrl })
    await reader.connect()
    await reader.query('begin')
    await reader.query(`select from ${schemaName(tenant)}.held`)
    const changing = own.call('PUT _tables/held', { columns: [text('a'), text('b')] })
    const stop = new AbortController()
    const writing = (async () => {
      const statuses = []
      while (!stop.signal.aborted) statuses.push((await own.call('POST held', { a: '1' })).status)
      return statuses
    })()
    const refused = await changing
    stop.abort()
    expect([refused.status, refused.body.error]).toEqual([503, 'SERVICE_UNAVAILABLE'])
    const statuses = await writing
    expect(statuses.length).toBeGreaterThan(10)
    expect(statuses.filter((status) => status !== 201)).toEqual([])
    await reader.end()
    const changed = await own.call('PUT _tables/held', { columns: [text('a'), text('b')] })
    expect(changed.status).toBe(200)
  })
})

describe('the other table calls', () => {
  test('GET _tables lists by name; DELETE drops; a new one of the same name is another', async () => {
    const own = clientOf(running.api, await world.tenant())
    expect((await own.call('GET _tables')).body).toEqual({ tables: [] })
    await own.call('PUT _tables/b', { columns: [text('x')] })
    await own.call('PUT _tables/a', { columns: [] })
    await own.call('POST b', { x: '1' })
    const { body } = await own.call<ReplyOf<typeof listTables>>('GET _tables')
    expect(body.tables.map(({ name }) => name)).toEqual(['a', 'b'])

    const dropped = await own.call('DELETE _tables/b')
    expect([dropped.status, dropped.text]).toEqual([204, ''])
    expect((await own.call('GET b')).body.error).toBe('TABLE_NOT_FOUND')
    expect((await own.call('DELETE _tables/b')).body.error).toBe('TABLE_NOT_FOUND')

    await own.call('PUT _tables/b', { columns: [{ name: 'x', type: 'integer' }] })
    expect((await own.call<Records>('GET b')).body.records).toEqual([])
    expect((await own.call('POST b', { x: 1 })).body).toMatchObject({ x: 1 })
  })

  test.each(['nope', 'users', 'Nope', 'a%00', '%22'])('GET _tables/%s: 404', async (name) => {
    const { status, body } = await client.call(`GET _tables/${name}`)
    expect([status, body.error]).toEqual([404, 'TABLE_NOT_FOUND'])
  })

  test('names with a meaning in PostgreSQL are only names', async () => {
    const names = [
      'select',
      'order',
      'pg_class',
      'constructor',
      't',
      'w',
      'j',
      'n',
      'd',
      'oid',
      'i',
    ]
    const columns = names.map((name) => text(name, { unique: true }))
    for (const table of ['select', 'pg_class', 'table_definition', 'j']) {
      expect((await client.call(`PUT _tables/${table}`, { columns })).status).toBe(200)
      const values = Object.fromEntries(names.map((name) => [name, `"${name}'`]))
      const { status, body } = await client.call(`POST ${table}`, values)
      expect([status, body]).toMatchObject([201, values])
      const changed = await client.call(`PATCH ${table}/${body.id}`, { n: 'x', t: 'y' })
      expect(changed.body).toMatchObject({ ...values, n: 'x', t: 'y' })
      const where = encodeURIComponent(JSON.stringify({ order: '"order\'', select: { ne: null } }))
      const listed = await client.call<Records>(`GET ${table}?where=${where}&order=-select,oid`)
      expect(listed.body.records).toEqual([changed.body])
      expect((await client.call(`DELETE ${table}/${body.id}`)).body).toEqual(changed.body)
    }
  })
})
