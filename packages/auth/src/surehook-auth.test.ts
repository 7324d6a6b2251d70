import { inspect } from 'node:util'
import { afterEach, expect, it } from '@jest/globals'
import {
  closePages,
  credentials,
  failureOf,
  json,
  login,
  lost,
  pageOf,
  pair,
  refreshed,
  refused,
  signedIn,
  writableStorage,
} from '../test/auth-page.ts'
import { accessToken, user } from '../test/tab-world.ts'
import {
  AuthError,
  RateLimitError,
  SignedOutError,
  TimeoutError,
  ValidationError,
} from './index.ts'

afterEach(closePages)

it('signs in, and tells who is', async () => {
  const { auth, sent } = pageOf([login()])
  const changes: unknown[] = []
  auth.onChange((change) => changes.push(change))
  expect(await auth.currentUser()).toBeNull()
  expect(await auth.login(credentials)).toEqual(user)
  expect(await auth.currentUser()).toEqual(user)
  expect(changes).toEqual([{ type: 'signedIn', user }])
  expect(sent).toEqual([
    {
      request: 'POST https://hooks.example/auth/login',
      headers: expect.objectContaining({ 'x-project-id': 'shop', environment: 'master' }),
      body: JSON.stringify(credentials),
      keepalive: false,
    },
  ])
})

it('sends each call where the contract has it', async () => {
  const none = () => json(200, {})
  const answers = Array.from({ length: 11 }, () => none)
  const { auth, sent } = await signedIn(answers)
  await auth.signup(credentials)
  await auth.resendCode({ email: 'a@b.c' })
  await auth.recover({ email: 'a@b.c' })
  await auth.reset({ email: 'a@b.c', newPassword: 'p', code: '1' })
  await auth.me()
  await auth.update({ firstName: 'Ada' })
  await auth.changePassword({ oldPassword: 'p', newPassword: 'q' })
  await auth.sessions({ limit: 2 })
  await auth.endSession('a/../b')
  await auth.settings()
  await auth.logout()
  expect(sent.map(({ request }) => request.replace('https://hooks.example/auth/', ''))).toEqual([
    'POST signup',
    'POST resend-code',
    'POST recover-password',
    'POST reset-password',
    'GET me',
    'PATCH me',
    'POST change-password',
    'GET sessions?limit=2',
    'DELETE sessions/a%2F..%2Fb',
    'GET settings',
    'POST logout',
  ])
  const withToken = sent.filter(({ headers }) => headers['authorization'] !== undefined)
  expect(withToken).toHaveLength(6)
})

it('keeps the names that a user changed', async () => {
  const { auth } = await signedIn([json(200, { ...user, firstName: 'Ada', emailVerified: true })])
  await auth.update({ firstName: 'Ada' })
  expect(await auth.currentUser()).toEqual({ ...user, firstName: 'Ada' })
})

it('fetch adds the token and the tenant, and keeps the rest', async () => {
  const { auth, sent } = await signedIn([json(201, { id: '1' })])
  const init = { method: 'POST', headers: { 'x-own': '1', environment: 'test' }, body: 'text' }
  expect((await auth.fetch('/gw/api/rest/orders', init)).status).toBe(201)
  expect(sent[0]).toMatchObject({ request: 'POST https://hooks.example/gw/api/rest/orders' })
  expect(sent[0]).toMatchObject({ headers: { 'x-own': '1', environment: 'test' }, body: 'text' })
  expect(sent[0]?.headers).toMatchObject({ 'x-project-id': 'shop' })
  expect(sent[0]?.headers['authorization']).toBe(`Bearer ${pair('0').accessToken}`)
})

it.each(['HTTPS://Hooks.Example:443', 'https://hooks.example:443//'])(
  'fetch adds the tenant, however the base URL is written: %s',
  async (baseUrl) => {
    const { auth, sent } = await signedIn([json(200, {}), json(200, {})], { baseUrl })
    await auth.fetch('/gw/x')
    await auth.fetch('https://hooks.example/gw/x')
    const tenant = { 'x-project-id': 'shop', environment: 'master' }
    expect(sent).toMatchObject([{ headers: tenant }, { headers: tenant }])
  },
)

it('fetch sends the token to no other origin, unless it is named', async () => {
  const { auth, sent } = await signedIn([json(200, {})], { origins: ['https://api.example'] })
  for (const url of ['https://evil.example/x', 'https://hooks.example.evil/x', 'data:,x']) {
    expect(await failureOf(auth.fetch(url))).toBeInstanceOf(TypeError)
  }
  expect(sent).toEqual([])
  await auth.fetch(new URL('https://api.example/x'))
  expect(sent[0]?.headers).toMatchObject({ authorization: expect.any(String) })
  expect(sent[0]?.headers).not.toHaveProperty('x-project-id')
})

it('fetch refreshes once after a 401, and sends the body again', async () => {
  const answers = [refused('AUTH_TOKEN_EXPIRED'), refreshed(), json(200, { ok: true })]
  const { auth, sent } = await signedIn(answers)
  const request = new Request('https://hooks.example/gw/x', { method: 'PUT', body: 'again' })
  expect((await auth.fetch(request)).status).toBe(200)
  expect(sent.map(({ body }) => body)).toEqual(['again', '{"refreshToken":"r0"}', 'again'])
  expect(sent[2]?.headers['authorization']).toBe(`Bearer ${pair('1').accessToken}`)
})

it('fetch returns the second 401, and a 401 for another reason', async () => {
  const twice = await signedIn([refused(), refreshed(), refused()])
  expect((await twice.auth.fetch('/gw/x')).status).toBe(401)
  expect(twice.sent).toHaveLength(3)
  const other = await signedIn([refused('AUTH_INVALID_CREDENTIALS')])
  expect((await other.auth.fetch('/gw/x')).status).toBe(401)
  expect(other.sent).toHaveLength(1)
})

it('fetch rejects when nobody is signed in, or the session has ended', async () => {
  const { auth, sent } = await signedIn([refused(), refused()])
  expect(await failureOf(auth.fetch('/gw/x'))).toMatchObject({ code: 'SIGNED_OUT', status: 401 })
  expect(await auth.currentUser()).toBeNull()
  expect(await failureOf(auth.fetch('/gw/x'))).toBeInstanceOf(SignedOutError)
  expect(sent).toHaveLength(2)
})

it('refreshes an expired token before the call, and repeats a refresh whose answer was lost', async () => {
  const { auth, sent } = pageOf([login(1), lost(), refreshed()])
  await auth.login(credentials)
  await expect(auth.accessToken()).resolves.toBe(accessToken('0', 1))
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  expect(await auth.accessToken()).toBe(pair('1').accessToken)
  const [, first, second] = sent
  expect(first?.body).toBe('{"refreshToken":"r0"}')
  expect(second).toEqual(first)
})

it('a call of the package refreshes after a 401, but not for a wrong password', async () => {
  const { auth } = await signedIn([refused(), refreshed(), json(200, user)])
  expect(await auth.me()).toMatchObject({ id: 'u' })
  const wrong = await signedIn([refused('AUTH_INVALID_CREDENTIALS')])
  const change = wrong.auth.changePassword({ oldPassword: 'x', newPassword: 'y' })
  expect(await failureOf(change)).toMatchObject({ code: 'AUTH_INVALID_CREDENTIALS' })
  expect(await wrong.auth.currentUser()).not.toBeNull()
})

it('an error has the code, the faults, the waiting time and the request id', async () => {
  const violations = [{ field: 'password', message: 'is common', rule: 'common' }]
  const limited = json(429, { error: 'RATE_LIMIT_EXCEEDED' }, { 'retry-after': '7' })
  const locked = json(423, { error: 'AUTH_ACCOUNT_LOCKED', lockedUntil: '2026-01-01T00:00:00Z' })
  const { auth, sent } = pageOf([
    json(400, { error: 'VALIDATION_ERROR', violations }, { 'x-request-id': 'r1' }),
    limited,
    locked,
    new Response('<h1>Bad gateway</h1>', { status: 500 }),
    new Response('<h1>Welcome</h1>'),
  ])
  const invalid = await failureOf(auth.signup(credentials))
  expect(invalid).toBeInstanceOf(ValidationError)
  expect(invalid).toMatchObject({
    code: 'VALIDATION_ERROR',
    status: 400,
    requestId: 'r1',
    violations,
  })
  const late = await failureOf(auth.login(credentials))
  expect(late).toBeInstanceOf(RateLimitError)
  expect(late).toMatchObject({ retryAfter: 7 })
  const lockedUntil = '2026-01-01T00:00:00Z'
  expect(await failureOf(auth.login(credentials))).toMatchObject({ status: 423, lockedUntil })
  const proxy = await failureOf(auth.login(credentials))
  const requestId = sent[3]?.headers['x-request-id']
  expect(proxy).toMatchObject({ code: 'UNEXPECTED_RESPONSE', status: 500, requestId })
  const other = await failureOf(auth.login(credentials))
  expect(other).toMatchObject({ code: 'UNEXPECTED_RESPONSE', status: 200 })
})

it('gives up after the timeout, also if fetch does not', async () => {
  const fetch = () => new Promise<Response>(() => {})
  const { auth } = pageOf([], { fetch, timeout: 5, maxRetries: 0 })
  expect(await failureOf(auth.settings())).toBeInstanceOf(TimeoutError)
})

it('an abort rejects with its reason', async () => {
  const { auth } = await signedIn([])
  const reason = new Error('enough')
  const signal = AbortSignal.abort(reason)
  expect(await failureOf(auth.me({ signal }))).toBe(reason)
  expect(await failureOf(auth.login(credentials, { signal }))).toBe(reason)
  expect(await failureOf(auth.fetch('/gw/x', { signal }))).toBe(reason)
})

it('keeps a session in a storage of the caller, under the deployment and the tenant', async () => {
  const { storage } = writableStorage()
  await signedIn([], { storage })
  expect(await pageOf([], { storage }).auth.currentUser()).toEqual(user)
  expect(await pageOf([], { storage, environment: 'test' }).auth.currentUser()).toBeNull()
})

it('no log and no error holds a token or a password', async () => {
  const { auth } = await signedIn([lost()], { maxRetries: 0 })
  const error = await failureOf(auth.me())
  expect(error).toBeInstanceOf(AuthError)
  const shown = inspect([auth, error], { depth: 10, showHidden: true })
  expect(shown).not.toContain(pair('0').accessToken)
  expect(shown).not.toContain('correct horse')
  expect(() => pageOf([], { baseUrl: 'https://me:pw@hooks.example' })).toThrow('credentials')
})
