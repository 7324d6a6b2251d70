import { spawnSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { expectStatus, send } from '@surehook/scripts/client/call'
import { createTenant } from '@surehook/scripts/client/tenant'
import { repoRoot } from '@surehook/scripts/lib/paths'
import { hasToolchain } from '@surehook/scripts/lib/toolchains'
import { pythonWith } from '@surehook/scripts/python/python-tools'
import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify } from 'jose'
import { newEmail, password } from '../support/auth/auth-tenant.ts'
import { transports } from '../support/auth/auth-transports.ts'
import { openSharedAuthWorld, type SharedAuthWorld } from '../support/shared/shared-world.ts'

type IssuedToken = { issuer: string; audience: string; token: string }
/**
 * The claims of a token that verifies, by a library that knows nothing but the URL of its issuer.
 */
type Library = (issued: IssuedToken) => Promise<JWTPayload | null>

const jose: Library = async ({ issuer, audience, token }) => {
  const metadata = await fetch(`${issuer}/.well-known/openid-configuration`)
  const { jwks_uri: url } = (await metadata.json()) as { jwks_uri: string }
  const expected = { issuer, audience, typ: 'at+jwt', algorithms: ['RS256'] }
  try {
    return (await jwtVerify(token, createRemoteJWKSet(new URL(url)), expected)).payload
  } catch (err) {
    if (err instanceof errors.JOSEError) return null
    throw err
  }
}

const pyJwt: Library = async (issued) => {
  const python = await pythonWith(`${repoRoot}/scripts/python/verify-tokens.txt`)
  const { stdout, stderr } = spawnSync(python, [`${import.meta.dirname}/verify_token.py`], {
    input: JSON.stringify(issued),
    encoding: 'utf8',
  })
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout) as JWTPayload | null
}

/** The library of Python is installed at its first use. */
const installsWithinMs = 300_000

const libraries: [string, Library][] = [['jose', jose]]
if (hasToolchain('python', process.env)) libraries.push(['PyJWT', pyJwt])

let world: SharedAuthWorld

beforeAll(async () => {
  world = await openSharedAuthWorld()
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

  it.each(libraries)(
    'a token verifies with %s and the URL of its issuer',
    async (_name, verify) => {
      const [[, transport]] = transports as readonly [(typeof transports)[0]]
      const auth = { emailVerification: false }
      const tenant = await world.tenant(transport, { environment: 'test', auth })
      const other = await world.tenant(transport, { environment: 'test', auth })
      const issuedBy = ({ projectId, environment }: typeof tenant, token: string) => ({
        issuer: `${world.system.baseUrl}/auth/${projectId}/${environment}`,
        audience: `${projectId}/${environment}`,
        token,
      })
      const { email, session } = await tenant.newUser()
      const issued = issuedBy(tenant, session.accessToken)
      expect(await verify(issued)).toMatchObject({ sub: session.user.id, iss: issued.issuer })
      expect(await verify(issuedBy(other, session.accessToken))).toBeNull()
      expect(await verify({ ...issued, audience: 'other/test' })).toBeNull()
      // Only auth-service can read what is encrypted.
      await tenant.configure({ ...auth, encryptTokens: true })
      expect(await verify(issuedBy(tenant, (await tenant.login(email)).accessToken))).toBeNull()
    },
    installsWithinMs,
  )

  it('the metadata of an issuer is where RFC 8414 puts it', async () => {
    const [[, transport]] = transports as readonly [(typeof transports)[0]]
    const { projectId, environment } = await world.tenant(transport)
    const { baseUrl } = world.system
    const path = `/auth/${projectId}/${environment}`
    const answer = await send(baseUrl, `GET /.well-known/oauth-authorization-server${path}`)
    expect([answer.status, answer.body]).toMatchObject([200, { issuer: baseUrl + path }])
  })

  it('the key set says how long it may be kept, and is not sent twice', async () => {
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
