import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { type Client, type Records } from '@surehook/scripts/client/call'
import { clientOf } from './support/client.ts'
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
  const columns = [{ name: 'title', type: 'text' }]
  const access = { read: ['reader', 'editor'], create: ['editor'], update: ['editor'] }
  await manager.call('PUT _tables/posts', { columns, access })
  await manager.call('PUT _tables/secrets', { columns })
})
afterAll(async () => {
  await running?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

type TokenOptions = Parameters<World['issuer']['token']>[1]

const userOf = async (options: TokenOptions): Promise<Client> =>
  clientOf(running.api, { ...tenant, token: await world.issuer.token(tenant, options) })

const outcome = async (client: Client, request: string, body?: unknown) => {
  const answer = await client.call(request, body)
  return answer.status < 400 ? [answer.status] : [answer.status, answer.body.error]
}
const forbidden = [403, 'FORBIDDEN']
const invalid = [401, 'AUTH_TOKEN_INVALID']

describe('a key that was replaced at once', () => {
  test.each([false, true])(
    'counts no more from then on, whatever was verified with it (encrypted: %j)',
    async (encrypted) => {
      const reader = await userOf({ roles: ['reader'], encrypted })
      expect(await outcome(reader, 'GET posts')).toEqual([200])
      world.issuer.replaced = true
      try {
        // auth-service publishes the state before it answers the replacement.
        await world.setUp(tenant, {}, 1)
        expect(await outcome(reader, 'GET posts')).toEqual(invalid)
      } finally {
        world.issuer.replaced = false
      }
      await world.setUp(tenant, {}, 2)
      const other = await userOf({ roles: ['reader'], encrypted })
      expect(await outcome(other, 'GET posts')).toEqual([200])
    },
  )
})

describe('a user', () => {
  test.each([false, true])(
    'may do what the table grants to one of their roles (encrypted: %j)',
    async (encrypted) => {
      const reader = await userOf({ roles: ['reader'], encrypted })
      const editor = await userOf({ roles: ['x', 'editor'], encrypted })
      const nobody = await userOf({ roles: [], encrypted })
      const created = await editor.call('POST posts', { title: 'a' })
      expect(created.status).toBe(201)
      const { id } = created.body
      expect(await outcome(editor, `PATCH posts/${id}`, { title: 'b' })).toEqual([200])
      expect(await outcome(editor, `DELETE posts/${id}`)).toEqual(forbidden)
      expect((await reader.call<Records>('GET posts')).body.records).toMatchObject([
        { id, title: 'b' },
      ])
      expect(await outcome(reader, `GET posts/${id}`)).toEqual([200])
      expect(await outcome(reader, 'POST posts', { title: 'c' })).toEqual(forbidden)
      expect(await outcome(reader, 'POST posts', [{ title: 'c' }])).toEqual(forbidden)
      expect(await outcome(reader, `PATCH posts/${id}`, { title: 'c' })).toEqual(forbidden)
      expect(await outcome(nobody, 'GET posts')).toEqual(forbidden)
      expect(await outcome(nobody, `GET posts/${id}`)).toEqual(forbidden)
      expect(await outcome(manager, `DELETE posts/${id}`)).toEqual([200])
    },
  )

  test('may do nothing with a table that grants nothing, and does not see its content', async () => {
    const { id } = (await manager.call('POST secrets', { title: 'x' })).body
    const user = await userOf({ roles: ['reader', 'editor', 'admin'] })
    const requests: [string, object?][] = [
      ['GET secrets'],
      [`GET secrets/${id}`],
      [`GET secrets/${randomUUID()}`],
      ['POST secrets', { title: 'y' }],
      ['POST secrets', { nothing: 'y' }],
      [`PATCH secrets/${id}`, { title: 'y' }],
      [`DELETE secrets/${id}`],
    ]
    for (const [request, body] of requests) {
      expect([request, ...(await outcome(user, request, body))]).toEqual([request, ...forbidden])
    }
    expect(await outcome(user, 'GET missing')).toEqual([404, 'TABLE_NOT_FOUND'])
  })

  test('does not manage tables, whatever their roles', async () => {
    const user = await userOf({ roles: ['reader', 'editor'] })
    expect(await outcome(user, 'GET _tables')).toEqual(forbidden)
    expect(await outcome(user, 'GET _tables/posts')).toEqual(forbidden)
    expect(await outcome(user, 'PUT _tables/mine', { columns: [] })).toEqual(forbidden)
    expect(await outcome(user, 'DELETE _tables/posts')).toEqual(forbidden)
  })

  test('sees no record through the permission to change it', async () => {
    const access = { create: ['writer'], update: ['writer'], delete: ['writer'] }
    await manager.call('PUT _tables/letters', {
      columns: [{ name: 'title', type: 'text' }],
      access: { ...access, read: ['reader'] },
    })
    const { body: record } = await manager.call('POST letters', { title: 'secret' })
    const { id, createdAt, updatedAt } = record
    const writer = await userOf({ roles: ['writer'] })
    const both = await userOf({ roles: ['writer', 'reader'] })
    expect((await both.call(`PATCH letters/${id}`, {})).body).toEqual(record)
    const patched = await writer.call(`PATCH letters/${id}`, {})
    expect([patched.status, patched.body]).toEqual([200, { id, createdAt, updatedAt }])
    const changed = await writer.call(`PATCH letters/${id}`, { title: 'new' })
    expect(Object.keys(changed.body)).toEqual(['id', 'createdAt', 'updatedAt'])
    const { body: now } = await both.call(`GET letters/${id}`)
    expect(now).toEqual({ ...changed.body, title: 'new' })
    const gone = await writer.call(`DELETE letters/${id}`)
    expect([gone.status, gone.body]).toEqual([200, changed.body])
    const made = await writer.call('POST letters', { title: 'x' })
    expect([made.status, Object.keys(made.body)]).toEqual([201, ['id', 'createdAt', 'updatedAt']])
    const several = await writer.call('POST letters', [{ title: 'y' }, { title: 'z' }])
    expect(several.list.map(Object.keys)).toEqual([
      ['id', 'createdAt', 'updatedAt'],
      ['id', 'createdAt', 'updatedAt'],
    ])
    const changes = await world.changes.until(tenant.projectId, 6)
    // Only the changes of a single record are ordered.
    const titles = changes.map((change) => String(JSON.parse(change.record).title))
    expect(titles.toSorted()).toEqual(['new', 'new', 'secret', 'x', 'y', 'z'])
  })

  test.each([
    ['a right one', 'secret'],
    ['a wrong one', 'guess'],
  ])('that may only change records gets the same answers to a guess: %s', async (_what, title) => {
    const access = { update: ['writer'] }
    await manager.call('PUT _tables/letters', {
      columns: [{ name: 'title', type: 'text' }],
      access,
    })
    const { body: record, headers } = await manager.call('POST letters', { title: 'secret' })
    const etag = String(headers.get('etag'))
    const writer = await userOf({ roles: ['writer'] })
    const path = `PATCH letters/${record.id}`
    const guessed = await writer.call(path, { title })
    expect([guessed.status, guessed.body.createdAt]).toEqual([200, record.createdAt])
    expect(guessed.body.updatedAt > record.updatedAt).toBe(true)
    expect(guessed.headers.get('etag')).not.toBe(etag)
    // A later request finds the record in another state as well, also one that changes nothing.
    const again = await writer.call(path, { title }, { 'if-match': etag })
    expect([again.status, again.body.error]).toEqual([412, 'PRECONDITION_FAILED'])
    const { body: now } = await manager.call(`GET letters/${record.id}`)
    expect(now).toEqual({ ...guessed.body, title })
    const [, change] = await world.changes.until(tenant.projectId, 2)
    expect(change?.changedFields).toEqual(title === 'secret' ? [] : ['title'])
  })

  test('gains and loses access when the table changes, at once on every replica', async () => {
    await using second = await world.startService()
    const token = await world.issuer.token(tenant, { roles: ['guest'] })
    const guests = [running.api, second.api].map((api) => clientOf(api, { ...tenant, token }))
    const columns = [{ name: 'title', type: 'text' }]
    for (const guest of guests) expect(await outcome(guest, 'GET posts')).toEqual(forbidden)
    await manager.call('PUT _tables/posts', { columns, access: { read: ['guest'] } })
    for (const guest of guests) expect(await outcome(guest, 'GET posts')).toEqual([200])
    await manager.call('PUT _tables/posts', { columns, access: { read: ['reader'] } })
    for (const guest of guests) expect(await outcome(guest, 'GET posts')).toEqual(forbidden)
  })
})

describe('an access token', () => {
  test.each([false, true])(
    'counts no longer once it is revoked (encrypted: %j)',
    async (encrypted) => {
      for (let round = 0; round < 10; round++) {
        const sid = randomUUID()
        const user = await userOf({ roles: ['reader'], sid, encrypted })
        expect(await outcome(user, 'GET posts')).toEqual([200])
        await world.issuer.revoke(tenant, sid)
        expect(await outcome(user, 'GET posts')).toEqual(invalid)
      }
    },
  )

  test('of an older generation is invalid, newer ones are valid', async () => {
    const sid = randomUUID()
    const before = await userOf({ roles: ['reader'], sid, gen: 1 })
    const after = await userOf({ roles: ['reader'], sid, gen: 2 })
    await world.issuer.revoke(tenant, sid, 2)
    expect(await outcome(before, 'GET posts')).toEqual(invalid)
    expect(await outcome(after, 'GET posts')).toEqual([200])
  })

  test('of another environment or project is refused', async () => {
    const other = await world.tenant({ projectId: tenant.projectId, environment: 'staging' })
    const stranger = await world.tenant()
    for (const from of [other, stranger]) {
      for (const encrypted of [false, true]) {
        const token = await world.issuer.token(from, { roles: ['reader'], encrypted })
        const user = clientOf(running.api, { ...tenant, token })
        expect(await outcome(user, 'GET posts')).toEqual(invalid)
      }
    }
  })

  test('that has expired gets its own error; a changed or unknown one is invalid', async () => {
    const expired = await userOf({ roles: ['reader'], ttlS: 0 })
    expect(await outcome(expired, 'GET posts')).toEqual([401, 'AUTH_TOKEN_EXPIRED'])
    const token = await world.issuer.token(tenant, { roles: ['reader'] })
    const [header, , signature] = token.split('.')
    const payload = Buffer.from('{"roles":["editor"]}').toString('base64url')
    for (const bad of [`${header}.${payload}.${signature}`, 'a.b.c', 'a.b.c.d.e', `${token}x`]) {
      const user = clientOf(running.api, { ...tenant, token: bad })
      expect(await outcome(user, 'GET posts')).toEqual(invalid)
    }
  })

  test.each([false, true])(
    'counts no longer where authentication is switched off (encrypted: %j)',
    async (encrypted) => {
      const user = await userOf({ roles: ['reader'], encrypted })
      for (let round = 0; round < 10; round++) {
        await world.setUp(tenant, { auth: { enabled: true } })
        expect(await outcome(user, 'GET posts')).toEqual([200])
        await world.setUp(tenant, { auth: { enabled: false } })
        expect(await outcome(user, 'GET posts')).toEqual(invalid)
      }
      const unseen = await userOf({ roles: ['reader'], encrypted })
      world.issuer.status = 404
      try {
        expect(await outcome(unseen, 'GET posts')).toEqual(invalid)
      } finally {
        world.issuer.status = null
      }
      expect(await outcome(manager, 'GET posts')).toEqual([200])
    },
  )

  test('is verified with only one request to auth-service', async () => {
    for (const encrypted of [false, true]) {
      const user = await userOf({ roles: ['reader'], encrypted })
      await user.call('GET posts')
      const asked = JSON.stringify([...world.issuer.asked])
      for (let times = 0; times < 5; times++) await user.call('GET posts')
      expect(JSON.stringify([...world.issuer.asked])).toBe(asked)
    }
  })

  test('gets 503 while auth-service is down and its keys are unknown', async () => {
    world.issuer.status = 500
    try {
      for (const encrypted of [false, true]) {
        const user = await userOf({ roles: ['reader'], encrypted })
        const answer = await user.call('GET posts')
        expect([answer.status, answer.body.error]).toEqual([503, 'SERVICE_UNAVAILABLE'])
        expect(answer.headers.get('retry-after')).toBe('1')
      }
    } finally {
      world.issuer.status = null
    }
  })

  test('needs its project', async () => {
    const user = await userOf({ roles: ['reader'] })
    const answer = await user.call('GET posts', undefined, { 'x-project-id': undefined })
    expect([answer.status, answer.body.error]).toEqual([400, 'VALIDATION_ERROR'])
  })
})
