import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { expectStatus, send } from '@surehook/scripts/client/call'
import { createTenant } from '@surehook/scripts/client/tenant'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { newEmail, password } from '../support/auth/auth-tenant.ts'
import { transports } from '../support/auth/auth-transports.ts'
import { type AuthWorld, openAuthWorld } from '../support/auth/auth-world.ts'

let world: AuthWorld

beforeAll(async () => {
  world = await openAuthWorld()
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

describe.each(transports)('a user over %s', (_name, transport) => {
  it.each([
    ['signed', false],
    ['encrypted', true],
  ])(
    'signs up, confirms, logs in, uses the data API, refreshes and logs out (%s)',
    async (_form, encryptTokens) => {
      const tenant = await world.tenant(transport, { auth: { encryptTokens } })
      const { projectId } = tenant
      expectStatus(201, await tenant.admin('POST', '/roles', { name: 'clerk' }))
      await tenant.configure({ defaultRole: 'clerk' })
      const manager = await createTenant(world.system, { projectId })
      const columns = [{ name: 'status', type: 'text' }]
      const access = { read: ['clerk'], create: ['clerk'] }
      expectStatus(200, await manager.rest('PUT _tables/orders', { columns, access }))
      const asUser = (accessToken: string, request: string, body?: unknown) =>
        manager.rest(request, body, { authorization: `Bearer ${accessToken}` })

      const email = newEmail()
      await tenant.do('signup', { email, password, firstName: 'Ada' })
      const code = await tenant.mailbox.nextCode(email)
      const { user } = await tenant.do('confirmSignup', { email, code })
      expect(user).toMatchObject({ email, firstName: 'Ada', roles: ['clerk'] })
      const session = await tenant.login(email)

      const order = await asUser(session.accessToken, 'POST orders', { status: 'new' })
      expect(order.status).toBe(201)
      const read = await asUser(session.accessToken, `GET orders/${order.body.id}`)
      expect([read.status, read.body['status']]).toEqual([200, 'new'])
      const change = { status: 'paid' }
      const patched = await asUser(session.accessToken, `PATCH orders/${order.body.id}`, change)
      expect([patched.status, patched.body.error]).toEqual([403, 'FORBIDDEN'])
      const listed = await asUser(session.accessToken, 'GET _tables')
      expect([listed.status, listed.body.error]).toEqual([403, 'FORBIDDEN'])

      const renewed = await tenant.do('refreshToken', { refreshToken: session.refreshToken })
      for (const { accessToken } of [session, renewed]) {
        expectStatus(200, await asUser(accessToken, 'GET orders'))
      }
      await tenant.do('logout', {}, { accessToken: renewed.accessToken })
      for (const { accessToken, refreshToken } of [session, renewed]) {
        const refused = await asUser(accessToken, 'GET orders')
        expect([refused.status, refused.body.error]).toEqual([401, 'AUTH_TOKEN_INVALID'])
        const logout = await tenant.call('logout', {}, { accessToken })
        const refresh = await tenant.call('refreshToken', { refreshToken })
        expect([logout.code, refresh.code]).toEqual(['AUTH_TOKEN_INVALID', 'AUTH_TOKEN_INVALID'])
      }
    },
  )
})

describe('what other software can use by itself', () => {
  it('an access token verifies with the published keys, and has the specified claims', async () => {
    const [[, transport]] = transports as readonly [(typeof transports)[0]]
    const tenant = await world.tenant(transport, { auth: { emailVerification: false } })
    const { email, session } = await tenant.newUser()
    const { baseUrl } = world.system
    const { projectId, environment } = tenant
    const url = new URL(`${baseUrl}/auth/.well-known/jwks.json`)
    const keys = createRemoteJWKSet(url, { headers: { 'x-project-id': projectId, environment } })
    const { payload, protectedHeader } = await jwtVerify(session.accessToken, keys, {
      issuer: `${baseUrl}/auth/${projectId}/${environment}`,
      audience: `${projectId}/${environment}`,
      typ: 'at+jwt',
      algorithms: ['RS256'],
    })
    expect(payload).toMatchObject({ sub: session.user.id, roles: [] })
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(15 * 60)
    expect(protectedHeader.kid).toEqual(expect.any(String))
    expect(JSON.stringify(payload)).not.toContain(email)
  })

  it('the key set has a cache time, and is not sent twice', async () => {
    const [[, transport]] = transports as readonly [(typeof transports)[0]]
    const headers = (await world.tenant(transport)).headers()
    const request = 'GET /auth/.well-known/jwks.json'
    const answer = await send(world.system.baseUrl, request, { headers })
    expect(answer.headers.get('cache-control')).toContain('max-age=300')
    const etag = answer.headers.get('etag') ?? ''
    const again = await send(world.system.baseUrl, request, {
      headers: { ...headers, 'if-none-match': etag },
    })
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag])
  })

  it('the API document is served', async () => {
    const answer = await send(world.system.baseUrl, 'GET /openapi/auth.json')
    expect(Object.keys((answer.body as unknown as { paths: object }).paths)).toContain(
      '/auth/login',
    )
  })
})
