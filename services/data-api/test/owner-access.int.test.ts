import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Answer, Client, Records } from '@surehook/scripts/client/call'
import { clientOf } from './support/client.ts'
import { type GraphQLClient, graphqlClientOf } from './support/graphql-client.ts'
import { openWorld, type Running, type Tenant, type World } from './support/under-test.ts'

let world: World
let running: Running
let tenant: Tenant
let manager: Client

beforeAll(async () => {
  world = await openWorld()
  running = await world.startService()
})
beforeEach(async () => {
  tenant = await world.tenant()
  manager = clientOf(running.api, tenant)
})
afterAll(async () => {
  await running?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

type User = Client & { id: string; graphql: GraphQLClient }

async function userWith(...roles: string[]): Promise<User> {
  const id = randomUUID()
  const token = await world.issuer.token(tenant, { sub: id, roles })
  const as = { ...tenant, token }
  return { ...clientOf(running.api, as), id, graphql: graphqlClientOf(running.api, as) }
}

const text = (name: string) => ({ name, type: 'text' })
const titlesOf = ({ body }: Answer<Records>) => body.records.map(({ title }) => title).toSorted()
const violationsOf = ({ body }: Answer) => body.violations?.map(({ field, rule }) => [field, rule])

async function define(table: string, definition: object): Promise<void> {
  const put = await manager.call(`PUT _tables/${table}`, definition)
  expect([put.status, put.body.violations]).toEqual([200, undefined])
}

describe('a table with "access": "owner"', () => {
  let ann: User
  let bob: User

  beforeEach(async () => {
    await define('notes', { columns: [text('title')], access: 'owner' })
    ;[ann, bob] = [await userWith(), await userWith('any')]
  })

  test('has the column, the rules, and the same definition after a repeated request', async () => {
    const first = await manager.call('GET _tables/notes')
    expect(first.body).toMatchObject({
      columns: [{ name: 'title' }, { name: 'owner_id', type: 'uuid' }],
      access: { read: [{ role: '*', where: { owner_id: '$user.id' } }] },
    })
    await define('notes', { columns: [text('title')], access: 'owner' })
    expect((await manager.call('GET _tables/notes')).body).toEqual(first.body)
  })

  test('gives each user their own records', async () => {
    const mine = await ann.call('POST notes', { title: 'a' })
    expect(mine.body).toMatchObject({ title: 'a', owner_id: ann.id })
    await bob.call('POST notes', [{ title: 'b' }, { title: 'c' }])
    await manager.call('POST notes', { title: 'of nobody' })

    expect(titlesOf(await ann.call<Records>('GET notes'))).toEqual(['a'])
    expect(titlesOf(await bob.call<Records>('GET notes?order=-title'))).toEqual(['b', 'c'])
    expect(titlesOf(await manager.call<Records>('GET notes'))).toEqual(['a', 'b', 'c', 'of nobody'])
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
})
