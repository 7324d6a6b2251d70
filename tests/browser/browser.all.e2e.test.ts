import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { openBrowser } from '@surehook/scripts/browser/open-browser'
import { expectStatus } from '@surehook/scripts/client/call'
import { createTenant } from '@surehook/scripts/client/tenant'
import { patienceMs } from '@surehook/testing/until'
import type { Page } from 'playwright-core'
import { type AuthTenant, newEmail, password } from '../support/auth/auth-tenant.ts'
import { transports } from '../support/auth/auth-transports.ts'
import { type AuthWorld, openAuthWorld } from '../support/auth/auth-world.ts'
import { serveOrigin } from './serve-origin.ts'

const opened = new AsyncDisposableStack()
let world: AuthWorld
let tenant: AuthTenant
/** The gateway allows the origin of `frontend`, and not that of `stranger`. */
let frontend: Page
let stranger: Page

beforeAll(async () => {
  const [allowed, other] = [opened.use(await serveOrigin()), opened.use(await serveOrigin())]
  const browser = opened.use(await openBrowser(process.env))
  world = opened.use(await openAuthWorld({ env: { CORS_ALLOWED_ORIGINS: allowed.origin } }))
  const [[, transport]] = transports as readonly [(typeof transports)[0]]
  tenant = await world.tenant(transport, { auth: { emailVerification: false } })
  expectStatus(201, await tenant.admin('POST', '/roles', { name: 'clerk' }))
  await tenant.configure({ defaultRole: 'clerk' })
  const manager = await createTenant(world.system, { projectId: tenant.projectId })
  const columns = [{ name: 'status', type: 'text' }]
  const access = { read: ['clerk'], create: ['clerk'], update: ['clerk'] }
  expectStatus(200, await manager.rest('PUT _tables/orders', { columns, access }))
  frontend = await browser.newPage()
  frontend.setDefaultTimeout(patienceMs)
  await frontend.goto(allowed.origin)
  stranger = await browser.newPage()
  stranger.setDefaultTimeout(patienceMs)
  await stranger.goto(other.origin)
})
afterAll(() => opened.disposeAsync())

type Call = { headers?: Record<string, string>; body?: object }
type Answer = {
  status: number
  requestId: string | null
  etag: string | null
  body: Record<string, string>
}

/** As a script of the page calls: with what the browser lets it send and read. */
function call(page: Page, request: string, { headers = {}, body }: Call = {}): Promise<Answer> {
  const [method = '', path = ''] = request.split(' ')
  const own = { 'x-project-id': tenant.projectId, environment: tenant.environment, ...headers }
  const content = body === undefined ? {} : { 'content-type': 'application/json' }
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  return page.evaluate(
    async ({ url, init }) => {
      const answer = await fetch(url, init)
      return {
        status: answer.status,
        requestId: answer.headers.get('x-request-id'),
        etag: answer.headers.get('etag'),
        body: (await answer.json()) as Record<string, string>,
      }
    },
    {
      url: world.system.baseUrl + path,
      init: { method, headers: { ...own, ...content }, ...sent },
    },
  )
}

describe('a page of another origin', () => {
  it('signs a user up and in, writes and reads records, and refreshes', async () => {
    const email = newEmail()
    const signup = await call(frontend, 'POST /auth/signup', { body: { email, password } })
    expect(signup.status).toBe(201)
    const login = await call(frontend, 'POST /auth/login', { body: { email, password } })
    expect(login.status).toBe(200)
    const session = { authorization: `Bearer ${login.body['accessToken']}` }
    const traced = {
      'idempotency-key': email,
      'x-request-id': 'of-the-page',
      traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    }
    const order = await call(frontend, 'POST /gw/api/rest/orders', {
      headers: { ...session, ...traced },
      body: { status: 'new' },
    })
    expect([order.status, order.requestId]).toEqual([201, 'of-the-page'])

    const { body } = login
    const refreshed = await call(frontend, 'POST /auth/refresh-token', {
      body: { refreshToken: body['refreshToken'] },
    })
    expect(refreshed.status).toBe(200)
    const renewed = { authorization: `Bearer ${refreshed.body['accessToken']}` }
    const path = `/gw/api/rest/orders/${order.body['id']}`
    const read = await call(frontend, `GET ${path}`, { headers: renewed })
    expect(read).toMatchObject({ status: 200, body: { status: 'new' } })
    const changed = await call(frontend, `PATCH ${path}`, {
      headers: { ...renewed, 'if-match': read.etag ?? '' },
      body: { status: 'paid' },
    })
    expect(changed).toMatchObject({ status: 200, body: { status: 'paid' } })
  })

  it('reads why it was refused, and the id to ask for', async () => {
    const refused = await call(frontend, 'GET /gw/api/rest/orders')
    expect(refused.status).toBe(401)
    expect(refused.requestId).toMatch(/^[0-9a-f-]{36}$/)
    const nothing = await call(frontend, 'GET /gw/nothing')
    expect([nothing.status, nothing.body['error']]).toEqual([404, 'NOT_FOUND'])
  })

  it('finds the keys of the issuer', async () => {
    const { projectId, environment } = tenant
    const path = `/auth/${projectId}/${environment}/.well-known/jwks.json`
    const { status, body } = await call(frontend, `GET ${path}`)
    expect([status, Object.keys(body)]).toEqual([200, ['keys']])
  })
})

it('a page of an origin that is not allowed may neither call nor read', async () => {
  // A browser asks before it sends these headers; an answer to a request without them it would
  // hide.
  await expect(call(stranger, 'GET /gw/api/rest/orders')).rejects.toThrow('Failed to fetch')
  const url = `${world.system.baseUrl}/healthz`
  await expect(stranger.evaluate((from) => fetch(from), url)).rejects.toThrow('Failed to fetch')
})
