import { createHash, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { defaultAuthSettings } from '@surehook/contracts/http/admin'
import { call as callApi } from './support/client.ts'
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

const call = (request: string, body?: unknown) => callApi(service.api, request, { body })
const put = (auth?: unknown, environment = 'master') =>
  call(`PUT /${project}/environments/${environment}`, { auth })

describe('an environment', () => {
  it('is created with the defaults, answered in full and on the topic before the answer', async () => {
    const { status, body } = await put()
    const state = (await world.platformState()).environments.get(`${project}/master`)
    expect([status, body]).toEqual([
      200,
      {
        projectId: project,
        environment: 'master',
        auth: defaultAuthSettings,
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      },
    ])
    expect(state).toMatchObject({ projectId: project, environment: 'master' })
    expect(JSON.parse(state?.settings ?? '')).toEqual({ auth: defaultAuthSettings })
    expect((await call(`GET /${project}/environments/master`)).body).toEqual(body)
  })

  it('keeps what is absent and resets what is null, change after change', async () => {
    await put({ accessTokenTtl: 1, lockout: { threshold: 3 }, encryptTokens: true })
    const { body } = await put({ encryptTokens: null, lockout: { duration: 60 } })
    const expected = {
      ...defaultAuthSettings,
      accessTokenTtl: 1,
      lockout: { ...defaultAuthSettings.lockout, threshold: 3, duration: 60 },
    }
    expect(body.auth).toEqual(expected)
    const state = (await world.platformState()).environments.get(`${project}/master`)
    expect(JSON.parse(state?.settings ?? '')).toEqual({ auth: expected })
    expect((await put(null)).body.auth).toEqual(defaultAuthSettings)
  })

  it('loses none of many changes made at once, the last one being on the topic', async () => {
    const changes = [
      { accessTokenTtl: 7 },
      { refreshTokenTtl: 8 },
      { refreshReuseInterval: 9 },
      { encryptTokens: true },
      { lockout: { threshold: 10 } },
      { lockout: { duration: 11 } },
      { password: { minLength: 12 } },
      { password: { breachCheck: true } },
    ]
    const answers = await Promise.all(changes.map((change) => put(change)))
    expect(answers.map(({ status }) => status)).toEqual(changes.map(() => 200))
    const expected = {
      ...defaultAuthSettings,
      accessTokenTtl: 7,
      refreshTokenTtl: 8,
      refreshReuseInterval: 9,
      encryptTokens: true,
      lockout: { ...defaultAuthSettings.lockout, threshold: 10, duration: 11 },
      password: { minLength: 12, breachCheck: true },
    }
    expect((await call(`GET /${project}/environments/master`)).body.auth).toEqual(expected)
    const state = (await world.platformState()).environments.get(`${project}/master`)
    expect(JSON.parse(state?.settings ?? '')).toEqual({ auth: expected })
  })

  it('is 404 when there is none', async () => {
    const { status, body } = await call(`GET /${project}/environments/master`)
    expect([status, body.error]).toEqual([404, 'ENVIRONMENT_NOT_FOUND'])
  })

  it.each([
    ['auth', true],
    ['auth.enabled', { enabled: 'yes' }],
    ['auth.emailVerification', { emailVerification: 1 }],
    ['auth.encryptTokens', { encryptTokens: 'no' }],
    ['auth.accessTokenTtl', { accessTokenTtl: 0 }],
    ['auth.accessTokenTtl', { accessTokenTtl: 1.5 }],
    ['auth.accessTokenTtl', { accessTokenTtl: '900' }],
    ['auth.accessTokenTtl', { accessTokenTtl: 1e12 }],
    ['auth.refreshTokenTtl', { refreshTokenTtl: 91 * 86_400 }],
    ['auth.refreshReuseInterval', { refreshReuseInterval: -1 }],
    ['auth.lockout', { lockout: 5 }],
    ['auth.lockout.threshold', { lockout: { threshold: 0 } }],
    ['auth.lockout.duration', { lockout: { duration: 0 } }],
    ['auth.lockout.scope', { lockout: { scope: 'world' } }],
    ['auth.lockout.extra', { lockout: { extra: 1 } }],
    ['auth.password.minLength', { password: { minLength: 7 } }],
    ['auth.password.breachCheck', { password: { breachCheck: 0 } }],
    ['auth.defaultRole', { defaultRole: '' }],
    ['auth.defaultRole', { defaultRole: 'a\u0000' }],
    ['auth.surprise', { surprise: 1 }],
  ])('refuses %s in %j and is not created', async (field, auth) => {
    const { status, body } = await put(auth)
    expect([status, body.error]).toEqual([400, 'VALIDATION_ERROR'])
    expect(body.violations).toEqual([{ field, message: expect.any(String) }])
    expect((await call(`GET /${project}/environments/master`)).status).toBe(404)
  })

  it.each([
    ['project', '/a%20b/environments/master'],
    ['project', '/%00/environments/master'],
    ['project', `/${'x'.repeat(65)}/environments/master`],
    ['environment', '/shop/environments/a.b'],
    ['environment', '/shop/environments/%F0%9F%98%80'],
  ])('refuses the name of the %s in %s', async (field, path) => {
    const { status, body } = await call(`PUT ${path}`, {})
    expect([status, body.violations?.map((violation) => violation.field)]).toEqual([400, [field]])
  })
})

describe('the list of projects', () => {
  it('has every project once with its environments, in pages', async () => {
    const prefix = `list-${randomUUID()}`
    for (const name of ['c', 'a', 'b']) {
      project = `${prefix}-${name}`
      await put()
    }
    await put(undefined, 'dev')
    const seen: { id: string; environments: string[] }[] = []
    let cursor: string | null = null
    do {
      const query: string = cursor === null ? '' : `&cursor=${cursor}`
      const { body, status } = await call(`GET ?limit=2${query}`)
      expect(status).toBe(200)
      seen.push(...body.projects)
      cursor = body.nextCursor
    } while (cursor !== null)
    expect(
      seen
        .filter(({ id }) => id.startsWith(prefix))
        .map(({ id, environments }) => [id.slice(prefix.length + 1), environments]),
    ).toEqual([
      ['a', ['master']],
      ['b', ['dev', 'master']],
      ['c', ['master']],
    ])
    expect(seen.map(({ id }) => id)).toEqual([...new Set(seen.map(({ id }) => id))])
  })

  it.each([
    ['limit', '?limit=0'],
    ['limit', '?limit=201'],
    ['cursor', '?cursor=x'],
    ['page', '?page=1'],
  ])('refuses %s in %s', async (field, query) => {
    const { status, body } = await call(`GET ${query}`)
    expect([status, body.violations?.map((violation) => violation.field)]).toEqual([400, [field]])
  })
})

describe('a management token', () => {
  const tokens = () => `/${project}/management-tokens`
  beforeEach(() => put())

  it('is shown once, and known to the topic by its hash before the answer', async () => {
    const { status, body } = await call(`POST ${tokens()}`, { name: ' ci ' })
    const known = (await world.platformState()).tokens.get(body.id)
    expect([status, body]).toEqual([
      201,
      {
        id: expect.any(String),
        projectId: project,
        name: 'ci',
        environments: null,
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
    })
    const { text } = await call(`GET ${tokens()}`)
    expect(text).toContain(body.id)
    expect(text).not.toContain(body.token)
    expect(text).not.toContain(known?.tokenHash)
  })

  it('may be for some environments and a time', async () => {
    await put(undefined, 'dev')
    const request = { name: 'dev', environments: ['dev'], expiresAt: '2999-01-01T01:00:00+01:00' }
    const { status, body } = await call(`POST ${tokens()}`, request)
    expect([status, body.environments, body.expiresAt]).toEqual([
      201,
      ['dev'],
      '2999-01-01T00:00:00.000Z',
    ])
    const known = (await world.platformState()).tokens.get(body.id)
    expect(known).toMatchObject({ environments: ['dev'], expiresAt: '2999-01-01T00:00:00.000Z' })
  })

  it('is listed, the newest first, in pages', async () => {
    const ids: string[] = []
    for (const name of ['1', '2', '3']) {
      ids.unshift((await call(`POST ${tokens()}`, { name })).body.id)
    }
    const first = await call(`GET ${tokens()}?limit=2`)
    const rest = await call(`GET ${tokens()}?limit=2&cursor=${first.body.nextCursor}`)
    expect([...first.body.tokens, ...rest.body.tokens].map(({ id }) => id)).toEqual(ids)
    expect(rest.body.nextCursor).toBeNull()
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
    expect((await call(`GET ${tokens()}`)).body.tokens).toEqual([])
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
    ['expiresAt', { name: 'a', expiresAt: '2020-01-01T00:00:00Z' }],
    ['expiresAt', { name: 'a', expiresAt: 'tomorrow' }],
    ['expiresAt', { name: 'a', expiresAt: '2030-01-01' }],
    ['expiresAt', { name: 'a', expiresAt: '0000-01-01T00:00:00Z' }],
    ['expiresAt', { name: 'a', expiresAt: 1 }],
    ['token', { name: 'a', token: 'mt_mine' }],
  ])('refuses %s in %j', async (field, body) => {
    const answer = await call(`POST ${tokens()}`, body)
    expect([answer.status, answer.body.error]).toEqual([400, 'VALIDATION_ERROR'])
    expect(answer.body.violations).toEqual([{ field, message: expect.any(String) }])
    expect((await call(`GET ${tokens()}`)).body.tokens).toEqual([])
  })

  it('is 404 for a project that does not exist', async () => {
    const made = await call(`POST /nobody/management-tokens`, { name: 'a' })
    expect([made.status, made.body.error]).toEqual([404, 'NOT_FOUND'])
    const listed = await call(`GET /nobody/management-tokens`)
    expect([listed.status, listed.body.error]).toEqual([404, 'NOT_FOUND'])
  })
})

describe('without the administration token', () => {
  it.each([null, '', 'Bearer', 'Bearer wrong', 'Basic YWRtaW4='])(
    '%j is 401',
    async (authorization) => {
      for (const request of [
        'GET ',
        `PUT /${project}/environments/master`,
        `GET /${project}/environments/master`,
        `POST /${project}/management-tokens`,
        `GET /${project}/management-tokens`,
        `DELETE /${project}/management-tokens/1`,
      ]) {
        const body = /^P/.test(request) ? { surprise: 1 } : undefined
        const answer = await callApi(service.api, request, { body, authorization })
        expect([request, answer.status, answer.body]).toEqual([
          request,
          401,
          { error: 'ADMIN_TOKEN_INVALID', message: expect.any(String) },
        ])
      }
    },
  )
})
