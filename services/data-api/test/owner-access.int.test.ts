import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Records } from '@surehook/scripts/client/call'
import { Client as Database, escapeIdentifier } from 'pg'
import { text, titlesOf, type User, useRulesWorld, violationsOf } from './support/rules-world.ts'

const rules = useRulesWorld()
let database: Database

describe('a table with "access": "owner"', () => {
  beforeAll(async () => {
    database = new Database({ connectionString: rules.database.adminUrl })
    await database.connect()
  })
  afterAll(() => database?.end())

  let ann: User
  let bob: User

  beforeEach(async () => {
    await rules.define('notes', { columns: [text('title')], access: 'owner' })
    ;[ann, bob] = [await rules.userWith(), await rules.userWith('any')]
  })

  test('has the column, the rules, and the same definition after a repeated request', async () => {
    const first = await rules.manager.call('GET _tables/notes')
    expect(first.body).toMatchObject({
      columns: [{ name: 'title' }, { name: 'owner_id', type: 'uuid' }],
      access: { read: [{ role: '*', where: { owner_id: '$user.id' } }] },
    })
    await rules.define('notes', { columns: [text('title')], access: 'owner' })
    expect((await rules.manager.call('GET _tables/notes')).body).toEqual(first.body)
  })

  test('gives each user their own records', async () => {
    const mine = await ann.call('POST notes', { title: 'a' })
    expect(mine.body).toMatchObject({ title: 'a', owner_id: ann.id })
    await bob.call('POST notes', [{ title: 'b' }, { title: 'c' }])
    await rules.manager.call('POST notes', { title: 'of nobody' })

    expect(titlesOf(await ann.call<Records>('GET notes'))).toEqual(['a'])
    expect(titlesOf(await bob.call<Records>('GET notes?order=-title'))).toEqual(['b', 'c'])
    expect(titlesOf(await rules.manager.call<Records>('GET notes'))).toEqual([
      'a',
      'b',
      'c',
      'of nobody',
    ])
    const path = `notes/${mine.body.id}`
    expect((await ann.call(`GET ${path}`)).body['title']).toBe('a')
    for (const [request, body] of [
      [`GET ${path}`],
      [`PATCH ${path}`, { title: 'x' }],
      [`PATCH ${path}`, {}],
      [`DELETE ${path}`],
    ] as const) {
      expect([request, (await bob.call(request, body)).status]).toEqual([request, 404])
    }
    expect((await ann.call(`PATCH ${path}`, { title: 'b' })).body).toMatchObject({ title: 'b' })
    expect((await ann.call(`DELETE ${path}`)).body).toMatchObject({ title: 'b' })
  })

  test('answers a precondition on a record of another user as if there were none', async () => {
    const { body, headers } = await ann.call('POST notes', { title: 'a' })
    for (const etag of [headers.get('etag') ?? '', '"0.1"', '*']) {
      for (const name of ['If-Match', 'If-None-Match']) {
        const asked = (request: string, sent?: object) => bob.call(request, sent, { [name]: etag })
        const path = `notes/${body.id}`
        const answers = [
          await asked(`GET ${path}`),
          await asked(`PATCH ${path}`, { title: 'x' }),
          await asked(`DELETE ${path}`),
        ]
        expect(answers.map(({ status }) => status)).toEqual([404, 404, 404])
      }
    }
  })

  test('refuses an owner in the request, also the own one', async () => {
    for (const owner of [ann.id, bob.id, null]) {
      const answer = await ann.call('POST notes', { title: 'a', owner_id: owner })
      expect([answer.status, violationsOf(answer)]).toEqual([400, [['owner_id', 'read_only']]])
    }
    const { body } = await ann.call('POST notes', { title: 'a' })
    const moved = await ann.call(`PATCH notes/${body.id}`, { owner_id: bob.id })
    expect([moved.status, violationsOf(moved)]).toEqual([400, [['owner_id', 'read_only']]])
  })

  test('has an index for the rules, also if the table has records, and again after a loss', async () => {
    const columns = [text('title')]
    await rules.define('papers', { columns })
    await rules.manager.call('POST papers', { title: 'a' })
    expect(await indexesOf('papers')).toEqual(['(id)'])
    await rules.define('papers', { columns, access: 'owner' })
    expect(await indexesOf('papers')).toEqual(['(id)', '(owner_id, id)'])
    expect(await indexesOf('notes')).toEqual(['(id)', '(owner_id, id)'])
    await database.query(`drop index ${await schemaOf('papers')}."I${await idOf('papers')}_1"`)
    await rules.define('papers', { columns, access: 'owner' })
    expect(await indexesOf('papers')).toEqual(['(id)', '(owner_id, id)'])
  })
})

type Definition = { id: string; schema: string }

async function definitionOf(table: string): Promise<Definition> {
  const { rows } = await database.query<Definition>(
    'select id, schema_name as schema from data_api.table_definition where project_id = $1 and name = $2',
    [rules.tenant.projectId, table],
  )
  return rows[0] ?? { id: '', schema: '' }
}
const schemaOf = async (table: string) => escapeIdentifier((await definitionOf(table)).schema)
const idOf = async (table: string) => (await definitionOf(table)).id

/** The columns of each index. */
async function indexesOf(table: string): Promise<string[]> {
  const { schema } = await definitionOf(table)
  const { rows } = await database.query<{ columns: string }>(
    `select substring(indexdef from '\\(.*\\)') as columns
       from pg_indexes where schemaname = $1 and tablename = $2 order by 1`,
    [schema, table],
  )
  return rows.map(({ columns }) => columns)
}
