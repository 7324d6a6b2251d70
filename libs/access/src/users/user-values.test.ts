import { beforeEach, describe, expect, it } from '@jest/globals'
import { createUserValues, userValuesFreshForMs } from './user-values.ts'

const tenant = { projectId: 'shop', environment: 'master' }
const ada = {
  email: 'ada@example.com',
  attributes: { team: 'north', regions: ['eu', 2] },
  roles: ['seller'],
}
const refusal = { code: 'SERVICE_UNAVAILABLE', retryAfterS: 1 }
const problem = (status: number, error: string) => () => Response.json({ error }, { status })

let now: number
let requests: { url: unknown; init: RequestInit | undefined }[]
/** What auth-service answers next. */
let answer: (init: RequestInit | undefined) => Response | Promise<Response>

beforeEach(() => {
  now = 1_000
  requests = []
  answer = () => Response.json(ada)
})

const open = (more: { maxUsers?: number; timeoutMs?: number } = {}) =>
  createUserValues({
    url: 'http://auth:3000',
    serviceToken: 'the-service-token',
    now: () => now,
    async fetch(url, init) {
      requests.push({ url, init })
      return answer(init)
    },
    ...more,
  })

describe('the values of a user', () => {
  it('are those that auth-service answers, with the tenant and the token of services', async () => {
    expect(await open().of(tenant, 'a/b')).toEqual(ada)
    const headers = {
      authorization: 'Bearer the-service-token',
      'x-project-id': 'shop',
      environment: 'master',
    }
    expect(requests).toMatchObject([
      { url: 'http://auth:3000/internal/users/a%2Fb', init: { headers, redirect: 'error' } },
    ])
  })

  it('have no attribute that nobody set', async () => {
    const values = await open().of(tenant, 'ada')
    expect(values?.attributes['constructor']).toBeUndefined()
  })

  it.each(['USER_NOT_FOUND', 'AUTH_NOT_CONFIGURED'])('are none after %s', async (error) => {
    answer = problem(404, error)
    const values = open()
    expect([await values.of(tenant, 'ada'), await values.of(tenant, 'ada')]).toEqual([null, null])
    expect(requests).toHaveLength(1)
  })
})

describe('a remembered answer', () => {
  it('counts for five seconds after its request', async () => {
    const values = open()
    answer = () => {
      now += 1_500
      return Response.json(ada)
    }
    await values.of(tenant, 'ada')
    answer = () => Response.json({ ...ada, attributes: {} })
    now = 1_000 + userValuesFreshForMs - 1
    expect(await values.of(tenant, 'ada')).toEqual(ada)
    expect(requests).toHaveLength(1)
    now = 1_000 + userValuesFreshForMs
    expect(await values.of(tenant, 'ada')).toEqual({ ...ada, attributes: {} })
    expect(requests).toHaveLength(2)
  })

  it('is of one user of one environment', async () => {
    const values = open()
    await values.of(tenant, 'ada')
    await values.of(tenant, 'grace')
    await values.of({ ...tenant, environment: 'test' }, 'ada')
    await values.of({ ...tenant, projectId: 'other' }, 'ada')
    expect(requests).toHaveLength(4)
  })

  it('is forgotten first when too many users are remembered', async () => {
    const values = open({ maxUsers: 2 })
    for (const user of ['ada', 'grace', 'alan', 'grace', 'alan']) await values.of(tenant, user)
    expect(requests).toHaveLength(3)
    await values.of(tenant, 'ada')
    expect(requests).toHaveLength(4)
  })
})

describe('a forgotten answer', () => {
  it('is asked for again', async () => {
    const values = open()
    await values.of(tenant, 'ada')
    await values.of(tenant, 'grace')
    values.forget(tenant, 'ada')
    await values.of(tenant, 'ada')
    await values.of(tenant, 'grace')
    expect(requests).toHaveLength(3)
  })

  it('is not remembered if it arrives later than it was forgotten', async () => {
    const values = open()
    const old = Promise.withResolvers<Response>()
    answer = () => old.promise
    const before = values.of(tenant, 'ada')
    values.forget(tenant, 'ada')
    const changed = { ...ada, attributes: {} }
    answer = () => Response.json(changed)
    expect(await values.of(tenant, 'ada')).toEqual(changed)
    old.resolve(Response.json(ada))
    expect(await before).toEqual(ada)
    expect(await values.of(tenant, 'ada')).toEqual(changed)
    expect(requests).toHaveLength(2)
  })
})

it('asks once for calls at the same time', async () => {
  const values = open()
  const both = await Promise.all([values.of(tenant, 'ada'), values.of(tenant, 'ada')])
  expect([both, requests.length]).toEqual([[ada, ada], 1])
})

describe('without an answer', () => {
  it.each<[string, typeof answer]>([
    ['503', problem(503, 'SERVICE_UNAVAILABLE')],
    ['another 404', problem(404, 'NOT_FOUND')],
    ['401', problem(401, 'AUTH_TOKEN_INVALID')],
    ['no JSON', () => new Response('<html>', { status: 404 })],
    ['other JSON', () => Response.json({ email: 'ada@example.com' })],
    ['no connection', () => Promise.reject(new TypeError('fetch failed'))],
  ])('(%s) is unavailable, which is not remembered', async (_, refused) => {
    const values = open()
    answer = refused
    const calls = [values.of(tenant, 'ada'), values.of(tenant, 'ada')]
    const results = await Promise.allSettled(calls)
    expect(results).toMatchObject([{ reason: refusal }, { reason: refusal }])
    answer = () => Response.json(ada)
    expect(await values.of(tenant, 'ada')).toEqual(ada)
  })

  it('in time is unavailable', async () => {
    answer = (init) =>
      new Promise((_, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))
      })
    await expect(open({ timeoutMs: 1 }).of(tenant, 'ada')).rejects.toMatchObject(refusal)
  })
})
