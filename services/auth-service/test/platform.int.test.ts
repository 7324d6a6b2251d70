import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { Environment, listProjects } from '@surehook/contracts/http/admin/admin'
import { defaultAuthSettings } from '@surehook/contracts/http/admin/auth-settings'
import { noLimitSettings } from '@surehook/contracts/http/admin/limit-settings'
import type { ReplyOf } from '@surehook/contracts/operation'
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

const defaultNotify = { emails: [], chats: [], digestInterval: 300 }

const call = <T = Environment>(request: string, body?: unknown) =>
  callAdmin<T>(service.api, request, body)
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
        limits: noLimitSettings,
        notify: { ...defaultNotify, failures: [] },
        trustedIssuers: [],
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
        deletedAt: null,
      },
    ])
    expect(state).toMatchObject({ projectId: project, environment: 'master' })
    expect(JSON.parse(state?.settings ?? '')).toEqual({
      auth: defaultAuthSettings,
      limits: noLimitSettings,
      notify: null,
      trustedIssuers: [],
    })
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
    expect(JSON.parse(state?.settings ?? '')).toMatchObject({ auth: expected })
    expect((await put(null)).body.auth).toEqual(defaultAuthSettings)
  })

  it('has limits of its own, which a change of other settings keeps', async () => {
    const limit = (limits: unknown) => call(`PUT /${project}/environments/master`, { limits })
    await limit({ data: { perSecond: 50, burst: 70 }, webhooks: { perTokenPerSecond: 2 } })
    await put({ accessTokenTtl: 7 })
    const { body } = await limit({ data: { burst: null } })
    const expected = {
      data: { ...noLimitSettings.data, perSecond: 50 },
      webhooks: { ...noLimitSettings.webhooks, perTokenPerSecond: 2 },
    }
    expect(body.limits).toEqual(expected)
    expect(body.auth.accessTokenTtl).toBe(7)
    const state = (await world.platformState()).environments.get(`${project}/master`)
    expect(JSON.parse(state?.settings ?? '').limits).toEqual(expected)
    expect((await limit(null)).body.limits).toEqual(noLimitSettings)

    const refused = await limit({ data: { perSecond: 0, rate: 1 } })
    expect(refused.status).toBe(400)
    expect(refused.body.violations?.map(({ field }) => field).toSorted()).toEqual([
      'limits.data.perSecond',
      'limits.data.rate',
    ])
  })

  it('loses none of many simultaneous changes, and has the last one on the topic', async () => {
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
      password: { ...defaultAuthSettings.password, minLength: 12, breachCheck: true },
    }
    expect((await call(`GET /${project}/environments/master`)).body.auth).toEqual(expected)
    const state = (await world.platformState()).environments.get(`${project}/master`)
    expect(JSON.parse(state?.settings ?? '')).toMatchObject({ auth: expected })
  })

  it('is 404 if it does not exist', async () => {
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
    expect(body.violations).toMatchObject([{ field, message: expect.any(String) }])
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
      const { body, status } = await call<ReplyOf<typeof listProjects>>(`GET ?limit=2${query}`)
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

  it('has those whose name contains a text', async () => {
    const prefix = `Find_${randomUUID()}`
    for (const name of ['one', 'two']) {
      project = `${prefix}-${name}`
      await put()
    }
    const found = async (search: string) =>
      (
        await call<ReplyOf<typeof listProjects>>(`GET ?search=${encodeURIComponent(search)}`)
      ).body.projects.map(({ id }) => id)
    expect(await found(prefix.toLowerCase())).toEqual([`${prefix}-one`, `${prefix}-two`])
    expect(await found(`${prefix}-T`)).toEqual([`${prefix}-two`])
    expect(await found(prefix.replace('_', '%'))).toEqual([])
  })

  it.each([
    ['search', '?search='],
    ['limit', '?limit=0'],
    ['limit', '?limit=201'],
    ['cursor', '?cursor=x'],
    ['page', '?page=1'],
  ])('refuses %s in %s', async (field, query) => {
    const { status, body } = await call(`GET ${query}`)
    expect([status, body.violations?.map((violation) => violation.field)]).toEqual([400, [field]])
  })
})

describe('without the administration token', () => {
  it.each([undefined, '', 'Bearer', 'Bearer wrong', 'Basic YWRtaW4='])(
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
        const body = request.startsWith('P') ? { surprise: 1 } : undefined
        const answer = await callAdmin(service.api, request, body, { authorization })
        expect([request, answer.status, answer.body]).toEqual([
          request,
          401,
          { error: 'ADMIN_TOKEN_INVALID', message: expect.any(String) },
        ])
      }
    },
  )
})
