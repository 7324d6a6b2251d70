import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { LoggedIn } from '@surehook/contracts/http/auth'
import type { Answer } from '@surehook/scripts/client/call'
import type { NewToken } from '@surehook/scripts/client/tenant'
import { type AuditedOperation, auditedOperations } from '@surehook/scripts/lib/audited-operations'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import { type AccountWorld, newEmail, openAccountWorld } from './support/account-world.ts'
import {
  type AuthClient,
  callAdmin,
  openAuthClient,
  password,
  type SignedUp,
} from './support/auth-client.ts'
import { adminToken, type Running } from './support/under-test.ts'

let accounts: AccountWorld
let loud: Running
let client: AuthClient
const lines: string[] = []

beforeAll(async () => {
  accounts = await openAccountWorld()
  // The audit trail is written even at the level `error`.
  const log = createLogger('audited', 'error', { write: (line) => void lines.push(line) })
  await accounts.service[Symbol.asyncDispose]()
  const mail = { smtpUrl: accounts.catcher.url, from: 'no-reply@test.example' }
  loud = await accounts.world.startService({ mail }, log)
  const lockout = { threshold: 2 } as const
  client = await openAuthClient(loud.api, { settings: { emailVerification: true, lockout } })
})
afterAll(async () => {
  await loud?.[Symbol.asyncDispose]()
  await accounts?.[Symbol.asyncDispose]()
})

type AuditLine = Record<string, string>

const trail = (): AuditLine[] =>
  lines.map((line) => JSON.parse(line) as AuditLine).filter(({ msg }) => msg === 'audit')

/** The audit lines of one request, without the fields that every line has. */
function linesOf(requestId: string) {
  const own = trail().filter((line) => line['requestId'] === requestId)
  for (const { level, name, client: address } of own) {
    expect([level, name, address]).toEqual(['info', 'audited', '203.0.113.7'])
  }
  return own.map(({ level, name, time, msg, client: _address, requestId: _id, ...rest }) => rest)
}

async function post<T = LoggedIn>(
  path: string,
  body?: unknown,
  token?: string,
): Promise<Answer<T> & { lines: AuditLine[] }> {
  const requestId = randomUUID()
  const headers = { 'x-request-id': requestId, 'x-forwarded-for': '203.0.113.7' }
  const answer = await client.send<T>(`POST ${path}`, { body, token, headers })
  return { ...answer, lines: linesOf(requestId) }
}

const usersPath = '/auth/admin/projects/{project}/environments/{environment}/users'
const place = () => ({ projectId: client.projectId, environment: 'master' })

describe('every step of a user leaves one line', () => {
  it('with its event, outcome, tenant, user, client and request', async () => {
    const email = newEmail()
    const signup = await post<SignedUp>('signup', { email, password, firstName: 'Ada' })
    const { userId } = signup.body
    const own = { ...place(), userId }
    const done = { outcome: 'success', ...own }
    const refused = { outcome: 'failure', actor: 'anonymous', ...own }
    expect(signup.lines).toEqual([{ event: 'user_created', actor: 'anonymous', ...done }])

    expect((await post('signup', { email, password })).lines).toEqual([
      { event: 'user_created_fail', reason: 'AUTH_EMAIL_EXISTS', ...refused },
    ])
    expect((await post('login', { email, password })).lines).toEqual([
      { event: 'authn_login_fail', reason: 'AUTH_EMAIL_NOT_VERIFIED', ...refused },
    ])
    expect((await post('resend-code', { email })).lines).toEqual([
      { event: 'user_verification_request', actor: 'anonymous', ...done },
    ])
    const code = (await accounts.catcher.waitFor(email, { count: 2, codes: true })).code ?? ''
    const wrong = String((Number(code) + 1) % 1_000_000).padStart(6, '0')
    expect((await post('confirm-signup', { email, code: wrong })).lines).toEqual([
      { event: 'user_verified_fail', reason: 'AUTH_INVALID_CODE', ...refused },
    ])
    const confirmed = await post('confirm-signup', { email, code })
    expect(confirmed.lines).toEqual([{ event: 'user_verified', actor: 'user', ...done }])

    const login = await post('login', { email, password })
    expect(login.lines).toEqual([{ event: 'authn_login_success', actor: 'user', ...done }])
    const invalid = { reason: 'AUTH_INVALID_CREDENTIALS', ...refused }
    const guess = { email, password: 'wrong password 1' }
    expect((await post('login', guess)).lines).toEqual([{ event: 'authn_login_fail', ...invalid }])
    expect((await post('login', guess)).lines).toEqual([
      { event: 'authn_login_fail', ...invalid },
      { event: 'authn_login_lock', ...invalid },
    ])
    expect((await post('login', { email, password })).lines).toEqual([
      { event: 'authn_login_fail', reason: 'AUTH_ACCOUNT_LOCKED', ...refused },
    ])

    const { refreshToken } = login.body
    expect((await post('refresh-token', { refreshToken })).lines).toEqual([])
    expect((await post('refresh-token', { refreshToken })).lines).toEqual([
      {
        event: 'authn_token_reuse',
        reason: 'AUTH_TOKEN_INVALID',
        sessionId: expect.any(String),
        ...refused,
      },
    ])

    expect((await post('recover-password', { email })).lines).toEqual([
      { event: 'authn_password_reset_request', actor: 'anonymous', ...done },
    ])
    const recovery = (await accounts.catcher.waitFor(email, { count: 3, codes: true })).code ?? ''
    const newPassword = 'a wholly new one 9'
    const other = String((Number(recovery) + 1) % 1_000_000).padStart(6, '0')
    expect((await post('reset-password', { email, newPassword, code: other })).lines).toEqual([
      { event: 'authn_password_change_fail', reason: 'AUTH_INVALID_CODE', ...refused },
    ])
    expect((await post('reset-password', { email, newPassword, code: recovery })).lines).toEqual([
      { event: 'authn_password_change', actor: 'user', ...done },
    ])
    const { accessToken } = (await post('login', { email, password: newPassword })).body
    expect((await post('logout', undefined, accessToken)).lines).toEqual([
      { event: 'authn_logout', actor: 'user', ...done },
    ])
    expect((await post('logout', undefined, accessToken)).lines).toEqual([
      {
        event: 'authn_logout_fail',
        outcome: 'failure',
        actor: 'anonymous',
        reason: 'AUTH_TOKEN_INVALID',
        ...place(),
      },
    ])

    const secrets = [email, password, newPassword, code, recovery, wrong, guess.password, 'Ada']
    const { accessToken: first, refreshToken: second } = confirmed.body
    const texts = [...secrets, refreshToken, accessToken, first, second, login.body.accessToken]
    const written = lines.join('')
    expect(texts.filter((text) => written.includes(text))).toEqual([])
  })

  it('with a keyed hash instead of an unknown address', async () => {
    const [email, other] = [newEmail(), newEmail()]
    const hashOf = async (address: string) => {
      const [line] = (await post('login', { email: address, password })).lines
      expect(line).toMatchObject({ event: 'authn_login_fail', outcome: 'failure', ...place() })
      expect(line?.['userId']).toBeUndefined()
      return line?.['emailHash']
    }
    const first = await hashOf(email)
    expect(first).toMatch(/^[\w-]{22}$/)
    expect(await hashOf(email.toUpperCase())).toBe(first)
    expect(await hashOf(other)).not.toBe(first)
    expect(lines.join('')).not.toContain(email)
  })

  it('over GraphQL as well', async () => {
    const email = newEmail()
    const login = `login(email: "${email}", password: "${password}") { accessToken }`
    const answer = await post('graphql', { query: `mutation { a: ${login} b: ${login} }` })
    const failed = { event: 'authn_login_fail', reason: 'AUTH_INVALID_CREDENTIALS' }
    const locked = { ...failed, event: 'authn_login_lock' }
    expect(answer.lines).toMatchObject([failed, failed, locked])
  })
})

describe('every administration call leaves one line', () => {
  const send = async ({ method, path }: AuditedOperation, token: string) => {
    const requestId = randomUUID()
    const names = { project: client.projectId, environment: 'master', id: randomUUID() }
    const url = path.replace(/\{(\w+)\}/g, (_all, name: keyof typeof names) => names[name])
    const response = await fetch(`${loud.api}${url}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        'x-request-id': requestId,
        'x-forwarded-for': '203.0.113.7',
        'content-type': 'application/json',
      },
      body: method === 'GET' || method === 'DELETE' ? null : '{}',
    })
    await response.text()
    return { status: response.status, lines: linesOf(requestId) }
  }

  it.each(auditedOperations('admin'))('$id', async ({ id, ...rest }) => {
    const operation = { id, ...rest }
    const secret = 'a wrong token that nobody may read'
    expect((await send(operation, secret)).lines).toEqual([
      {
        event: 'authz_fail',
        outcome: 'failure',
        actor: 'anonymous',
        operation: id,
        reason: 'ADMIN_TOKEN_INVALID',
      },
    ])
    const { status, lines: own } = await send(operation, adminToken)
    const outcome = status < 400 ? 'success' : 'failure'
    expect(own).toEqual([
      expect.objectContaining({
        event: 'authz_admin',
        outcome,
        actor: 'administrator',
        operation: id,
      }),
    ])
    expect(lines.filter((line) => line.includes(secret) || line.includes(adminToken))).toEqual([])
  })

  it('names the management token of an owner, also when its right is missing', async () => {
    const { projectId } = await openAuthClient(loud.api)
    const tokens = `POST /${projectId}/management-tokens`
    const path = usersPath.replace('{project}', projectId)
    const listing = { id: 'listUsers', method: 'GET', path }
    for (const [rights, outcome, event, reason] of [
      [['users'], 'success', 'authz_admin'],
      [['records'], 'failure', 'authz_fail', 'FORBIDDEN'],
    ] as const) {
      const { id, token } = (await callAdmin<NewToken>(loud.api, tokens, { name: 'owner', rights }))
        .body
      const { lines: own } = await send(listing, token)
      const known = { event, outcome, actor: 'management_token', actorId: id }
      expect(own).toEqual([
        {
          ...known,
          operation: 'listUsers',
          ...(reason === undefined ? { projectId, environment: 'master' } : { reason }),
        },
      ])
      expect(lines.join('')).not.toContain(token)
    }
  })

  it('names the object and its owner, but never the new token', async () => {
    const requestId = randomUUID()
    const { projectId } = await openAuthClient(loud.api)
    const response = await fetch(`${loud.api}/auth/admin/projects/${projectId}/management-tokens`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${adminToken}`,
        'x-request-id': requestId,
        'x-forwarded-for': '203.0.113.7',
        'content-type': 'application/json',
      },
      body: '{"name":"ci"}',
    })
    const { id, token } = (await response.json()) as { id: string; token: string }
    expect(linesOf(requestId)).toEqual([
      {
        event: 'authz_admin',
        outcome: 'success',
        actor: 'administrator',
        operation: 'createManagementToken',
        projectId,
        target: id,
      },
    ])
    expect(lines.join('')).not.toContain(token)
  })
})
