import { createHash, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { listEnvironments, listManagementTokens } from '@surehook/contracts/http/admin/admin'
import type { ReplyOf } from '@surehook/contracts/operation'
import type { NewToken } from '@surehook/scripts/client/tenant'
import { callAdmin } from './support/auth-client.ts'
import { openWorld, type Running, type World } from './support/under-test.ts'

let world: World
let service: Running
let project: string

beforeAll(async () => {
  world = await openWorld()
  service = await world.startService()
})
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})
beforeEach(() => {
  project = `p-${randomUUID()}`
})

const call = <T = NewToken>(request: string, body?: unknown) =>
  callAdmin<T>(service.api, request, body)
const put = (auth?: unknown, environment = 'master') =>
  call(`PUT /${project}/environments/${environment}`, { auth })

describe('a management token', () => {
  const tokens = () => `/${project}/management-tokens`
  const list = (query = '') => call<ReplyOf<typeof listManagementTokens>>(`GET ${tokens()}${query}`)
  beforeEach(() => put())

  it('is shown once, and its hash is on the topic before the answer', async () => {
    const { status, body } = await call(`POST ${tokens()}`, { name: ' ci ' })
    const known = (await world.platformState()).tokens.get(body.id)
    expect([status, body]).toEqual([
      201,
      {
        id: expect.any(String),
        projectId: project,
        name: 'ci',
        environments: null,
        rights: ['records', 'sources', 'tables', 'users', 'webhooks'],
        createdAt: expect.any(String),
        expiresAt: null,
        token: expect.stringMatching(/^mt_[\w-]{43}$/),
      },
    ])
    expect(known).toEqual({
      id: body.id,
      projectId: project,
      name: 'ci',
      tokenHash: createHash('sha256').update(body.token).digest('hex'),
      environments: null,
      createdAt: body.createdAt,
      expiresAt: null,
      rights: null,
    })
    const { text } = await list()
    expect(text).toContain(body.id)
    expect(text).not.toContain(body.token)
    expect(text).not.toContain(known?.tokenHash)
  })

  it('may be limited to environments and a time', async () => {
    await put(undefined, 'dev')
    // PostgreSQL itself accepts offsets only up to 15:59.
    const request = { name: 'dev', environments: ['dev'], expiresAt: '2999-01-01T23:30:00+23:30' }
    const { status, body } = await call(`POST ${tokens()}`, request)
    expect([status, body.environments, body.expiresAt]).toEqual([
      201,
      ['dev'],
      '2999-01-01T00:00:00.000Z',
    ])
    const known = (await world.platformState()).tokens.get(body.id)
    expect(known).toMatchObject({ environments: ['dev'], expiresAt: '2999-01-01T00:00:00.000Z' })
  })

  it('may be limited to rights, which the list shows', async () => {
    const { status, body } = await call(`POST ${tokens()}`, {
      name: 'a',
      rights: ['webhooks', 'records'],
    })
    expect([status, body.rights]).toEqual([201, ['records', 'webhooks']])
    const listed = await list()
    expect(listed.body.tokens).toMatchObject([{ id: body.id, rights: ['records', 'webhooks'] }])
    const known = (await world.platformState()).tokens.get(body.id)
    expect(known?.rights).toEqual(['webhooks', 'records'])
  })

  it('keeps its rights when one of its environments is deleted', async () => {
    await put(undefined, 'dev')
    const request = { name: 'a', environments: ['dev', 'master'], rights: ['tables'] }
    const { body } = await call(`POST ${tokens()}`, request)
    await call(`DELETE /${project}/environments/dev`)
    const known = (await world.platformState()).tokens.get(body.id)
    expect(known).toMatchObject({ environments: ['master'], rights: ['tables'] })
  })

  it('is listed, the newest first, in pages', async () => {
    const ids: string[] = []
    for (const name of ['1', '2', '3']) {
      ids.unshift((await call(`POST ${tokens()}`, { name })).body.id)
    }
    const first = await list('?limit=2')
    const rest = await list(`?limit=2&cursor=${first.body.nextCursor}`)
    expect([...first.body.tokens, ...rest.body.tokens].map(({ id }) => id)).toEqual(ids)
    expect(rest.body.nextCursor).toBeNull()
  })

  it('is found by a part of its name', async () => {
    for (const name of ['Deploy 50%', 'console']) await call(`POST ${tokens()}`, { name })
    const found = async (search: string) =>
      (await list(`?search=${encodeURIComponent(search)}`)).body.tokens.map(({ name }) => name)
    expect(await found('deploy')).toEqual(['Deploy 50%'])
    expect(await found('0%')).toEqual(['Deploy 50%'])
    expect(await found('d%5')).toEqual([])
    expect((await list('?search=')).body.violations).toMatchObject([{ field: 'search' }])
  })

  it('lists the environments that it manages, whatever its rights', async () => {
    for (const name of ['staging', 'dev']) await put(undefined, name)
    const create = (fields: object) => call(`POST ${tokens()}`, { name: 'ci', ...fields })
    const environmentsOf = (authorization?: string) =>
      callAdmin<ReplyOf<typeof listEnvironments>>(
        service.api,
        `GET /${project}/environments`,
        undefined,
        authorization === undefined ? {} : { authorization },
      )
    const names = async (token: string) =>
      (await environmentsOf(`Bearer ${token}`)).body.environments
    expect((await environmentsOf()).body.environments).toEqual(['dev', 'master', 'staging'])
    const every = (await create({ rights: ['records'] })).body.token
    expect(await names(every)).toEqual(['dev', 'master', 'staging'])
    const some = await create({ environments: ['staging', 'master'], rights: ['webhooks'] })
    expect(await names(some.body.token)).toEqual(['master', 'staging'])
    expect((await environmentsOf('Bearer wrong')).status).toBe(401)
    project = `p-${randomUUID()}`
    expect((await environmentsOf()).status).toBe(404)
    await put()
    const refused = await environmentsOf(`Bearer ${every}`)
    expect([refused.status, refused.body.error]).toEqual([403, 'FORBIDDEN'])
  })

  it('is revoked on the topic before the answer, once and by its own project', async () => {
    const { body } = await call(`POST ${tokens()}`, { name: 'ci' })
    const revoke = (of: string, id: string) => call(`DELETE /${of}/management-tokens/${id}`)
    const unknown = [404, 'MANAGEMENT_TOKEN_NOT_FOUND']
    const foreign = await revoke('another', body.id)
    expect([foreign.status, foreign.body.error]).toEqual(unknown)
    expect((await world.platformState()).tokens.has(body.id)).toBe(true)
    const revoked = await revoke(project, body.id.toUpperCase())
    expect([revoked.status, revoked.text]).toEqual([204, ''])
    expect((await world.platformState()).tokens.has(body.id)).toBe(false)
    for (const id of [body.id, 'x', '%00']) {
      const again = await revoke(project, id)
      expect([again.status, again.body.error]).toEqual(unknown)
    }
    expect((await list()).body.tokens).toEqual([])
  })

  it.each([
    ['name', {}],
    ['name', { name: '' }],
    ['name', { name: '  ' }],
    ['name', { name: 'x'.repeat(101) }],
    ['name', { name: 'a\u0000b' }],
    ['name', { name: 1 }],
    ['environments', { name: 'a', environments: [] }],
    ['environments', { name: 'a', environments: 'master' }],
    ['environments', { name: 'a', environments: ['master', 'master'] }],
    ['environments.0', { name: 'a', environments: ['a b'] }],
    ['environments.1', { name: 'a', environments: ['master', 'nowhere'] }],
    ['rights', { name: 'a', rights: [] }],
    ['rights', { name: 'a', rights: null }],
    ['rights', { name: 'a', rights: 'all' }],
    ['rights', { name: 'a', rights: ['users', 'users'] }],
    ['rights.1', { name: 'a', rights: ['users', 'settings'] }],
    ['expiresAt', { name: 'a', expiresAt: '2020-01-01T00:00:00Z' }],
    ['expiresAt', { name: 'a', expiresAt: 'tomorrow' }],
    ['expiresAt', { name: 'a', expiresAt: '2030-01-01' }],
    ['expiresAt', { name: 'a', expiresAt: '0000-01-01T00:00:00Z' }],
    ['expiresAt', { name: 'a', expiresAt: '9999-12-31T23:59:59-23:59' }],
    ['expiresAt', { name: 'a', expiresAt: 1 }],
    ['token', { name: 'a', token: 'mt_mine' }],
  ])('refuses %s in %j', async (field, body) => {
    const answer = await call(`POST ${tokens()}`, body)
    expect([answer.status, answer.body.error]).toEqual([400, 'VALIDATION_ERROR'])
    expect(answer.body.violations).toMatchObject([{ field, message: expect.any(String) }])
    expect((await list()).body.tokens).toEqual([])
  })

  it('is 404 for a project that does not exist', async () => {
    const made = await call(`POST /nobody/management-tokens`, { name: 'a' })
    expect([made.status, made.body.error]).toEqual([404, 'NOT_FOUND'])
    const listed = await call(`GET /nobody/management-tokens`)
    expect([listed.status, listed.body.error]).toEqual([404, 'NOT_FOUND'])
  })
})
