import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import { type Stand, startStand } from './gateway.ts'
import { rawGet } from './raw-request.ts'

let stand: Stand

beforeAll(async () => {
  stand = await startStand()
})
afterAll(async () => {
  await stand[Symbol.asyncDispose]()
})
beforeEach(() => {
  for (const { seen } of [stand.auth, stand.data, stand.sources, stand.webhooks]) seen.length = 0
})

const seenBy = () => ({
  auth: stand.auth.seen.map(({ url }) => url),
  data: stand.data.seen.map(({ url }) => url),
  sources: stand.sources.seen.map(({ url }) => url),
  webhooks: stand.webhooks.seen.map(({ url }) => url),
})

const nobody = { auth: [], data: [], sources: [], webhooks: [] }

it('logs only the start of a path, because the rest may contain a misplaced secret', async () => {
  const lines: string[] = []
  const log = createLogger('test', 'info', { write: (line) => void lines.push(line) })
  await using loud = await startStand({}, log)
  for (const path of ['/auth/reset-password/SECRET', '/gw/api/rest/SECRET', '/no/such/SECRET']) {
    await rawGet(loud.port, path)
  }
  await rawGet(loud.port, 'http://user:SECRET@host/')
  await rawGet(loud.port, '/%2e%2e/x/SECRET?SECRET')
  const paths = lines.map((line) => (JSON.parse(line) as { path: string }).path)
  expect(paths).toEqual(['/auth/reset-password', '/gw/api', '/no/such', '', '/%2e%2e/x'])
  expect(lines.join()).not.toContain('SECRET')
})

describe('a path', () => {
  it.each([
    ['/auth/login', 'auth', '/auth/login'],
    ['/auth/admin/projects/p/environments/e', 'auth', '/auth/admin/projects/p/environments/e'],
    ['/auth/.well-known/jwks.json', 'auth', '/auth/.well-known/jwks.json'],
    ['/auth/p/e/.well-known/jwks.json', 'auth', '/auth/p/e/.well-known/jwks.json'],
    [
      '/.well-known/oauth-authorization-server/auth/p/e',
      'auth',
      '/.well-known/oauth-authorization-server/auth/p/e',
    ],
    ['/auth?x=%2f..%2f', 'auth', '/auth?x=%2f..%2f'],
    ['/gw/api/rest/_webhooks', 'webhooks', '/api/rest/_webhooks'],
    ['/gw/api/rest/_webhooks/1?limit=2', 'webhooks', '/api/rest/_webhooks/1?limit=2'],
    ['/gw/api/rest/%5fwebhooks', 'webhooks', '/api/rest/_webhooks'],
    ['/gw/api/rest/_tables/orders', 'data', '/api/rest/_tables/orders'],
    ['/gw/api/rest/_changes', 'data', '/api/rest/_changes'],
    ['/gw/api/rest/orders', 'data', '/api/rest/orders'],
    ['/gw/api/rest/orders/a%20b', 'data', '/api/rest/orders/a%20b'],
    ['/gw/api/rest/_deliveries?limit=2', 'webhooks', '/api/rest/_deliveries?limit=2'],
    ['/gw/api/rest/_events/1', 'webhooks', '/api/rest/_events/1'],
    ['/gw/api/rest/_endpoints/1/close', 'webhooks', '/api/rest/_endpoints/1/close'],
    ['/gw/api/rest/_sources', 'sources', '/api/rest/_sources'],
    ['/gw/api/rest/_sources/shop', 'sources', '/api/rest/_sources/shop'],
    ['/gw/api/rest/_sourcesx', 'data', '/api/rest/_sourcesx'],
    ['/gw/api/rest/_webhooksx', 'data', '/api/rest/_webhooksx'],
    ['/gw/api/rest/_eventsx', 'data', '/api/rest/_eventsx'],
    ['/gw/api/rest/_WEBHOOKS', 'data', '/api/rest/_WEBHOOKS'],
    ['/gw/api/rest/..webhooks', 'data', '/api/rest/..webhooks'],
    ['/gw/api/rest/orders/%252e%252e', 'data', '/api/rest/orders/%252e%252e'],
    ['/gw/api/graphql', 'data', '/api/graphql'],
  ])('%s reaches %s as %s', async (path, upstream, expected) => {
    const answer = await rawGet(stand.port, path)
    expect(answer).toMatchObject({ status: 200 })
    expect(seenBy()).toEqual({ ...nobody, [upstream]: [expected] })
  })

  it.each([
    '/gw/api/rest/..%2f_webhooks',
    '/gw/api/rest/x%2F..%2F_webhooks',
    '/gw/api/rest/x/../_webhooks',
    '/gw/api/rest/x/%2e%2e/_webhooks',
    '/gw/api/rest/x/%2E./_webhooks',
    '/gw/api/rest/./_webhooks',
    '/gw/api/rest//_webhooks',
    '//gw/api/rest/_webhooks',
    '/gw//api/rest/_webhooks',
    '/gw/api/rest/orders%5c..%5c_webhooks',
    '/gw/api/rest/orders\\..\\_webhooks',
    '/gw/api/rest/orders%00',
    '/gw/api/rest/%ff',
    '/gw/api/rest/%zz',
    '/auth/../gw/api/rest/orders',
    '/gw/../auth/admin/projects',
    '/gw/%2e%2e/auth/admin/projects',
    '/healthz/../auth/admin/projects',
    'http://user@g/auth/login',
    'ftp://g/auth/login',
    'http://g/gw/../auth/admin/projects',
    'http://g//auth/login',
    '*',
  ])('%s that could be read in two ways reaches nobody', async (path) => {
    const answer = await rawGet(stand.port, path)
    expect(answer.status).toBe(400)
    expect(JSON.parse(answer.body)).toMatchObject({
      error: 'VALIDATION_ERROR',
      violations: [{ field: 'path' }],
    })
    expect(seenBy()).toEqual(nobody)
  })

  it.each([
    ['http://g/gw/api/rest/orders?a=1', 200],
    ['HTTP://g:8080/gw/api/rest/orders', 200],
    ['https://[::1]/gw/api/rest/orders', 200],
    ['http://g/healthz', 200],
    ['http://g', 404],
    ['http://g?a=1', 404],
  ])('%s in absolute form is served as its path', async (target, status) => {
    const answer = await rawGet(stand.port, target)
    expect(answer.status).toBe(status)
  })

  it('a target in absolute form names the host', async () => {
    await rawGet(stand.port, 'http://api.example:81/gw/api/rest/orders?a=1')
    expect(stand.data.seen).toMatchObject([
      { url: '/api/rest/orders?a=1', headers: { 'x-forwarded-host': 'api.example:81' } },
    ])
  })

  it.each([
    '/',
    '/gw',
    '/gw/api',
    '/gw/api/restx',
    '/gw/auth/login',
    '/authx',
    '/AUTH/login',
    '/api/rest/orders',
    '/internal/users/1',
    '/metrics',
    '/.well-known/jwks.json',
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-authorization-server/gw/api',
    '/openapi/other.json',
    '/healthz/x',
    '/__proto__',
  ])('%s that belongs to nobody is 404', async (path) => {
    const answer = await rawGet(stand.port, path)
    expect(answer.status).toBe(404)
    expect(answer.head).toMatch(/x-request-id: \S+/i)
    expect(JSON.parse(answer.body)).toMatchObject({ error: 'NOT_FOUND' })
    expect(seenBy()).toEqual(nobody)
  })
})

describe('the gateway itself', () => {
  it.each(['/healthz', '/%68ealthz', '/readyz'])('answers %s', async (path) => {
    const answer = await fetch(stand.url + path)
    expect([answer.status, await answer.json()]).toEqual([200, { status: 'ok' }])
  })

  it.each(['admin', 'auth', 'data', 'sources', 'webhooks'])(
    'serves the OpenAPI document of %s',
    async (name) => {
      const answer = await fetch(`${stand.url}/openapi/${name}.json`)
      expect(answer.status).toBe(200)
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'content-type': 'application/json; charset=utf-8',
        'content-encoding': 'gzip',
        'cache-control': 'public, max-age=300',
      })
      expect(await answer.json()).toMatchObject({ openapi: expect.stringMatching(/^3\.1/) })
    },
  )

  it('refuses other methods there', async () => {
    const answer = await fetch(`${stand.url}/healthz`, { method: 'POST' })
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  it('is ready with one upstream away, and not with all of them', async () => {
    await using other = await startStand()
    await other.auth[Symbol.asyncDispose]()
    expect((await fetch(`${other.url}/readyz`)).status).toBe(200)
    await Promise.all(
      [other.data, other.sources, other.webhooks].map((one) => one[Symbol.asyncDispose]()),
    )
    const answer = await fetch(`${other.url}/readyz`)
    expect([answer.status, await answer.json()]).toEqual([
      503,
      { status: 'unavailable', failed: ['upstreams'] },
    ])
    expect((await fetch(`${other.url}/healthz`)).status).toBe(200)
  })
})
