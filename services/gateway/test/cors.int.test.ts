import type { RequestListener } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { getJwks } from '@surehook/contracts/http/auth'
import { createApi } from '@surehook/service-kit/http/api-server'
import { mount, Reply } from '@surehook/service-kit/http/mount'
import { createServiceMetrics } from '@surehook/service-kit/telemetry/metrics'
import { pino } from 'pino'
import { compose, type Gateway } from '../src/compose.ts'
import { readConfig } from '../src/config.ts'
import { type Stand, startStand } from './gateway.ts'
import { rawRequest } from './raw-request.ts'

const app = 'https://app.example.com'
const admin = 'https://admin.example.com'
const other = 'https://other.example.com'

const opened = new AsyncDisposableStack()
/** The gateway without the variable, and with two allowed origins. */
let open: Stand
let listed: Stand

beforeAll(async () => {
  open = opened.use(await startStand())
  listed = opened.use(await startStand({ CORS_ALLOWED_ORIGINS: `${app}, ${admin}` }))
})
afterAll(() => opened.disposeAsync())

const corsNames = (headers: Headers) =>
  [...headers.keys()].filter((name) => name.startsWith('access-control-')).toSorted()

const answerNames = ['access-control-allow-origin', 'access-control-expose-headers']
const preflightNames = [
  'access-control-allow-headers',
  'access-control-allow-methods',
  'access-control-allow-origin',
  'access-control-expose-headers',
  'access-control-max-age',
]

function preflight(stand: Stand, path: string, origin: string): Promise<Response> {
  const asks = {
    origin,
    'access-control-request-method': 'PATCH',
    'access-control-request-headers': 'authorization,content-type,x-project-id',
  }
  return fetch(stand.url + path, { method: 'OPTIONS', headers: asks })
}

const get = ({ url }: { url: string }, path: string, origin?: string) =>
  fetch(url + path, origin === undefined ? {} : { headers: { origin } })

const listOf = (headers: Headers, name: string) =>
  (headers.get(name) ?? '').toLowerCase().split(/\s*,\s*/)

describe('a preflight', () => {
  it.each(['/auth/login', '/gw/api/rest/orders/1', '/gw/api/graphql', '/nothing'])(
    'of %s is answered here',
    async (path) => {
      const answer = await preflight(open, path, app)
      expect([answer.status, await answer.text()]).toEqual([204, ''])
      expect(corsNames(answer.headers)).toEqual(preflightNames)
      expect(answer.headers.get('access-control-allow-origin')).toBe('*')
      expect(Number(answer.headers.get('access-control-max-age'))).toBeGreaterThan(600)
      expect(listOf(answer.headers, 'access-control-allow-methods')).toEqual(
        expect.arrayContaining(['get', 'post', 'put', 'patch', 'delete']),
      )
      expect(listOf(answer.headers, 'access-control-allow-headers')).toEqual(
        expect.arrayContaining(['authorization', 'x-project-id', 'environment', 'if-match']),
      )
      expect(answer.headers.get('vary')).toBeNull()
      for (const { seen } of [open.auth, open.data, open.webhooks]) expect(seen).toEqual([])
    },
  )

  it('allows a listed origin, and nothing to any other', async () => {
    for (const origin of [app, admin]) {
      const { headers } = await preflight(listed, '/auth/login', origin)
      expect(headers.get('access-control-allow-origin')).toBe(origin)
      expect(headers.get('vary')).toBe('Origin')
    }
    for (const origin of [other, `${app}.evil.example`, 'null', app.toUpperCase()]) {
      const { status, headers } = await preflight(listed, '/auth/login', origin)
      expect([status, corsNames(headers), headers.get('vary')]).toEqual([204, [], 'Origin'])
    }
  })

  it('is only what asks for a method: any other OPTIONS goes to the service', async () => {
    await using stand = await startStand()
    const asks = { 'access-control-request-method': 'GET' }
    for (const headers of [{}, { origin: app }, asks]) {
      const answer = await fetch(`${stand.url}/auth/login`, { method: 'OPTIONS', headers })
      expect([answer.status, await answer.json()]).toEqual([200, { upstream: 'auth' }])
      expect(corsNames(answer.headers)).toEqual(answerNames)
    }
    expect(stand.auth.seen.map(({ method }) => method)).toEqual(['OPTIONS', 'OPTIONS', 'OPTIONS'])
  })
})

describe('an answer', () => {
  it.each(['/gw/api/rest/orders', '/auth/login', '/healthz', '/openapi/auth.json'])(
    'of %s may be read by every origin',
    async (path) => {
      for (const origin of [app, undefined]) {
        const { headers } = await get(open, path, origin)
        expect(headers.get('access-control-allow-origin')).toBe('*')
        expect(listOf(headers, 'access-control-expose-headers')).toEqual([
          ...['retry-after', 'x-request-id', 'etag'],
          ...['ratelimit', 'ratelimit-policy', 'location', 'x-next-cursor'],
        ])
        expect(headers.get('access-control-allow-credentials')).toBeNull()
        expect(listOf(headers, 'vary')).not.toContain('origin')
      }
    },
  )

  it('may be read by listed origins alone, and says to caches that it depends on them', async () => {
    const allowed = await get(listed, '/gw/api/rest/orders', app)
    expect(corsNames(allowed.headers)).toEqual(answerNames)
    expect(allowed.headers.get('access-control-allow-origin')).toBe(app)
    expect(allowed.headers.get('vary')).toBe('Origin')
    for (const origin of [other, undefined]) {
      const { status, headers } = await get(listed, '/gw/api/rest/orders', origin)
      expect([status, corsNames(headers), headers.get('vary')]).toEqual([200, [], 'Origin'])
    }
  })

  it('keeps what the service says that it varies with', async () => {
    await using stand = await startStand({ CORS_ALLOWED_ORIGINS: app })
    stand.auth.answer = (_req, res) => {
      res.writeHead(200, { Vary: 'X-Project-Id', 'Access-Control-Allow-Origin': 'none' }).end()
    }
    const { headers } = await get(stand, '/auth/keys', app)
    expect(headers.get('vary')).toBe('X-Project-Id, Origin')
    expect(headers.get('access-control-allow-origin')).toBe(app)
  })

  it('of an error has the headers too, whether the gateway or a service made it', async () => {
    await using stand = await startStand({ CORS_ALLOWED_ORIGINS: app })
    stand.auth.answer = (_req, res) => res.writeHead(429, { 'Retry-After': '7' }).end('{}')
    await stand.data[Symbol.asyncDispose]()
    const headers = { origin: app }
    const large = 'x'.repeat(1_100_000)
    const announced = { method: 'POST', headers, body: large }
    const streamed = { ...announced, body: new Blob([large]).stream(), duplex: 'half' }
    const answers = await Promise.all([
      get(stand, '/nothing', app),
      get(stand, '/auth/x%2fy', app),
      fetch(`${stand.url}/auth/login`, announced),
      fetch(`${stand.url}/gw/api/rest/_webhooks`, streamed as RequestInit),
      get(stand, '/auth/login', app),
      get(stand, '/gw/api/rest/orders', app),
      fetch(`${stand.url}/healthz`, { method: 'POST', headers }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([404, 400, 413, 413, 429, 503, 405])
    for (const answer of answers) {
      expect(answer.headers.get('access-control-allow-origin')).toBe(app)
      expect(corsNames(answer.headers)).toEqual(answerNames)
      expect(answer.headers.get('vary')).toBe('Origin')
    }
  })

  it('to a body that came too late has the headers', async () => {
    const log = pino({ level: 'silent' })
    const patience = { headMs: 1_000, requestMs: 1_000, bodyMs: 60_000 }
    await using stand = await startStand({}, log, { patience })
    const head = 'POST /auth/login HTTP/1.1\r\nHost: g\r\nContent-Length: 9\r\n\r\n{'
    const answer = await rawRequest(stand.port, head)
    expect(answer.status).toBe(408)
    expect(answer.head).toMatch(/^Access-Control-Allow-Origin: \*\r?$/m)
  })
})

describe('a service in the process of the gateway', () => {
  let gateway: Gateway
  let url: string

  beforeAll(async () => {
    const log = pino({ level: 'silent' })
    const api = createApi({
      ...{ port: 0, host: '127.0.0.1', log, metrics: createServiceMetrics('test') },
      routes(router) {
        mount(router, getJwks, () => new Reply({ keys: [] }, { Vary: 'X-Project-Id' }))
      },
    })
    gateway = opened.use(await openWith(api))
    url = `http://127.0.0.1:${gateway.port}`
  })

  it('answers with the headers, errors too, and keeps what it varies with', async () => {
    const keys = await fetch(`${url}/auth/.well-known/jwks.json`, {
      headers: { origin: app, 'x-project-id': 'p' },
    })
    expect(keys.status).toBe(200)
    expect(keys.headers.get('access-control-allow-origin')).toBe(app)
    expect(keys.headers.get('vary')).toBe('Origin, X-Project-Id')
    const missing = await get({ url }, '/auth/nothing', app)
    expect([missing.status, corsNames(missing.headers)]).toEqual([404, answerNames])
    expect(missing.headers.get('vary')).toBe('Origin')
    const stranger = await get({ url }, '/auth/nothing', other)
    expect([stranger.status, corsNames(stranger.headers)]).toEqual([404, []])
  })
})

function openWith(api: RequestListener): Promise<Gateway> {
  const config = readConfig({
    PORT: '0',
    INTERNAL_PORT: '0',
    AUTH_SERVICE_URL: 'http://127.0.0.1',
    DATA_API_URL: 'http://127.0.0.1',
    POSTGRES_SOURCE_URL: 'http://127.0.0.1',
    WEBHOOK_API_URL: 'http://127.0.0.1',
    CORS_ALLOWED_ORIGINS: app,
  })
  const upstreams = { auth: api, data: api, sources: api, webhooks: api }
  return compose({ ...config, upstreams }, pino({ level: 'silent' }))
}
