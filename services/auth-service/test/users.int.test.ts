import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { OpenSession, UserLock } from '@surehook/contracts/http/admin/user-access'
import type { listRoles, listUsers, UserAccount } from '@surehook/contracts/http/admin/users'
import type { ReplyOf } from '@surehook/contracts/operation'
import { type AccountWorld, newEmail, openAccountWorld } from './support/account-world.ts'
import {
  type AuthClient,
  callAdmin,
  openAuthClient,
  outcome,
  password,
} from './support/auth-client.ts'

let accounts: AccountWorld
let client: AuthClient

beforeAll(async () => {
  accounts = await openAccountWorld()
})
beforeEach(async () => {
  client = await accounts.project({ emailVerification: false })
})
afterAll(async () => {
  await accounts?.[Symbol.asyncDispose]()
})

const admin = <T = UserAccount>(request: string, body?: unknown) => client.admin<T>(request, body)
const problem = async (request: string, body?: unknown) => {
  const answer = await client.admin(request, body)
  return [answer.status, answer.body.error, answer.body.violations?.map(({ field }) => field)]
}
const userOf = (id: string) => admin(`GET /users/${id}`)
const login = (email: string, tried = password) =>
  client.send('POST login', { body: { email, password: tried } })

describe('roles', () => {
  it('are created once, listed by name and not self-assignable by default', async () => {
    const { status, body } = await admin('POST /roles', { name: 'writer' })
    const role = { id: expect.any(String), name: 'writer', selfAssignable: false }
    expect([status, body]).toEqual([201, role])
    expect(await problem('POST /roles', { name: 'writer' })).toEqual([409, 'CONFLICT', undefined])
    await admin('POST /roles', { name: 'author', selfAssignable: true })
    const first = await admin<ReplyOf<typeof listRoles>>('GET /roles?limit=1')
    expect(first.body.roles).toEqual([expect.objectContaining({ name: 'author' })])
    const next = await admin(`GET /roles?cursor=${first.body.nextCursor}`)
    expect(next.body).toEqual({ roles: [role], nextCursor: null })
  })
})

describe('the list of users', () => {
  it('has every user once, newest first, in pages, and finds one by address', async () => {
    const emails: string[] = []
    for (let i = 0; i < 5; i++) emails.push((await client.newUser()).email)
    const seen: UserAccount[] = []
    let cursor: string | null = null
    do {
      const query: string = cursor === null ? '' : `&cursor=${cursor}`
      const { body } = await admin<ReplyOf<typeof listUsers>>(`GET /users?limit=2${query}`)
      seen.push(...body.users)
      cursor = body.nextCursor
    } while (cursor !== null)
    expect(seen.map(({ email }) => email)).toEqual(emails.toReversed())
    const { body } = await admin(`GET /users?email=${emails[2]?.toUpperCase()}`)
    expect(body).toEqual({ users: [seen[2]], nextCursor: null })
    expect(seen[2]).toEqual({
      id: expect.any(String),
      email: emails[2],
      firstName: '',
      lastName: '',
      roles: [],
      emailVerified: true,
      disabled: false,
      attributes: {},
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    })
  })

  it('is of one environment alone, as is each user', async () => {
    const { user } = await client.newUser()
    const { projectId } = client
    const other = await openAuthClient(accounts.service.api, { projectId, environment: 'other' })
    expect((await other.admin('GET /users')).body).toMatchObject({ users: [] })
    const requests = ['GET', 'PATCH', 'DELETE', 'POST /logout', 'POST /unlock', 'GET /sessions']
    const ofSession = `DELETE /sessions/${randomUUID()}`
    for (const request of [...requests, 'GET /lock', ofSession]) {
      const [method, path = ''] = request.split(' ')
      const body = method === 'PATCH' ? {} : undefined
      const answer = await other.admin(`${method} /users/${user.id}${path}`, body)
      expect([request, answer.status, answer.body.error]).toEqual([request, 404, 'USER_NOT_FOUND'])
    }
    expect((await userOf(user.id)).status).toBe(200)
  })
})

describe('a user', () => {
  it('is changed in the given fields; null clears a field', async () => {
    const { user } = await client.newUser()
    await admin('POST /roles', { name: 'writer' })
    const change = { firstName: 'Ada', lastName: 'Lovelace', roles: ['writer'] }
    const changed = await admin(`PATCH /users/${user.id}`, change)
    expect([changed.status, changed.body]).toMatchObject([200, change])
    const cleared = await admin(`PATCH /users/${user.id}`, {
      firstName: null,
      roles: null,
    })
    expect(cleared.body).toMatchObject({ firstName: '', lastName: 'Lovelace', roles: [] })
    expect((await userOf(user.id)).body).toEqual(cleared.body)
  })

  it('gets no unknown role and no unknown field', async () => {
    const { user } = await client.newUser()
    const patch = `PATCH /users/${user.id}`
    expect(await problem(patch, { roles: ['ghost'] })).toEqual([
      400,
      'VALIDATION_ERROR',
      ['roles.0'],
    ])
    expect(await problem(patch, { email: newEmail() })).toEqual([
      400,
      'VALIDATION_ERROR',
      ['email'],
    ])
    expect(await problem(patch, { firstName: 'a\u0000b' })).toEqual([
      400,
      'VALIDATION_ERROR',
      ['firstName'],
    ])
    expect(await problem('PATCH /users/nobody', {})).toEqual([404, 'USER_NOT_FOUND', undefined])
  })

  it('with other roles has them in its next tokens, and older tokens are invalid', async () => {
    const { user, accessToken, refreshToken } = await client.newUser()
    await admin('POST /roles', { name: 'writer' })
    await admin(`PATCH /users/${user.id}`, { roles: ['writer'] })
    expect(await client.isActive(accessToken)).toBe(false)
    const refreshed = await client.refresh(refreshToken)
    expect(outcome(refreshed)).toEqual([200])
    const introspected = await client.introspect(refreshed.body.accessToken)
    expect(introspected.body).toMatchObject({ active: true, roles: ['writer'] })
  })

  it('that is disabled is logged out at once and cannot log in until enabled', async () => {
    const { user, email, accessToken, refreshToken } = await client.newUser()
    await admin(`PATCH /users/${user.id}`, { disabled: true })
    expect(await client.isActive(accessToken)).toBe(false)
    expect(outcome(await client.refresh(refreshToken))).toEqual([401, 'AUTH_TOKEN_INVALID'])
    expect(outcome(await login(email))).toEqual([401, 'AUTH_INVALID_CREDENTIALS'])
    await admin(`PATCH /users/${user.id}`, { disabled: false })
    expect(outcome(await login(email))).toEqual([200])
  })

  it('that is deleted is logged out at once, and its address is free', async () => {
    const { user, email, accessToken, refreshToken } = await client.newUser()
    expect((await admin(`DELETE /users/${user.id}`)).status).toBe(204)
    expect(await client.isActive(accessToken)).toBe(false)
    expect(outcome(await client.refresh(refreshToken))).toEqual([401, 'AUTH_TOKEN_INVALID'])
    expect((await userOf(user.id)).status).toBe(404)
    expect((await admin(`DELETE /users/${user.id}`)).status).toBe(404)
    expect(outcome(await client.send('POST signup', { body: { email, password } }))).toEqual([201])
  })

  it('is logged out of every session by force, and may log in again', async () => {
    const first = await client.newUser()
    const second = await client.login(first.email)
    expect((await admin(`POST /users/${first.user.id}/logout`)).status).toBe(204)
    for (const { accessToken, refreshToken } of [first, second]) {
      expect(await client.isActive(accessToken)).toBe(false)
      expect(outcome(await client.refresh(refreshToken))).toEqual([401, 'AUTH_TOKEN_INVALID'])
    }
    expect(outcome(await login(first.email))).toEqual([200])
  })
})

describe('the sessions of a user', () => {
  const sessionsOf = async (id: string, query = '') => {
    const { body } = await client.admin(`GET /users/${id}/sessions${query}`)
    return body as unknown as { sessions: OpenSession[]; nextCursor: string | null }
  }

  it('are listed while they are open, newest first, and end one by one', async () => {
    const first = await client.newUser()
    const { id } = first.user
    const ended = await client.login(first.email)
    await client.send('POST logout', { token: ended.accessToken })
    const last = await client.login(first.email)
    await client.newUser()
    const time = expect.stringMatching(/^\d{4}-.*Z$/)
    const own = { id: expect.any(String), createdAt: time, lastUsedAt: time, expiresAt: time }
    const all = await sessionsOf(id)
    expect(all).toEqual({ sessions: [own, own], nextCursor: null })
    const [newest, oldest] = all.sessions
    const page = await sessionsOf(id, '?limit=1')
    expect(page.sessions).toEqual([newest])
    const next = await sessionsOf(id, `?limit=1&cursor=${page.nextCursor}`)
    expect(next).toEqual({ sessions: [oldest], nextCursor: null })
    expect(Date.parse(newest?.expiresAt ?? '')).toBeGreaterThan(Date.now())

    const end = () => client.admin(`DELETE /users/${id}/sessions/${newest?.id}`)
    expect((await end()).status).toBe(204)
    expect(await client.isActive(last.accessToken)).toBe(false)
    expect(outcome(await client.refresh(last.refreshToken))).toEqual([401, 'AUTH_TOKEN_INVALID'])
    expect(await client.isActive(first.accessToken)).toBe(true)
    expect(outcome(await end())).toEqual([404, 'SESSION_NOT_FOUND'])
    expect((await sessionsOf(id)).sessions).toEqual([oldest])
  })

  it('end only as those of their own user', async () => {
    const owner = await client.newUser()
    const stranger = await client.newUser()
    const [session] = (await sessionsOf(owner.user.id)).sessions
    for (const sessionId of [session?.id, 'none', randomUUID()]) {
      const answer = await client.admin(`DELETE /users/${stranger.user.id}/sessions/${sessionId}`)
      expect(outcome(answer)).toEqual([404, 'SESSION_NOT_FOUND'])
    }
    expect(await client.isActive(owner.accessToken)).toBe(true)
    expect(await problem(`GET /users/${owner.user.id}/sessions?cursor=x`)).toEqual([
      400,
      'VALIDATION_ERROR',
      ['cursor'],
    ])
  })
})

describe('the lock of a user', () => {
  const fail = async (email: string, address: string) => {
    const headers = { 'x-forwarded-for': address }
    for (let i = 0; i < 5; i++) {
      await client.send('POST login', { body: { email, password: 'wrong' }, headers })
    }
    return client.send('POST login', { body: { email, password }, headers })
  }

  it('tells until when and for which client, and ends with its unlock', async () => {
    const { user, email } = await client.newUser()
    const lock = () => client.admin(`GET /users/${user.id}/lock`)
    const none = { lockedUntil: null, locks: [] }
    expect((await lock()).body).toEqual(none)
    const { lockedUntil } = (await fail(email, '203.0.113.7')).body as unknown as UserLock
    expect(lockedUntil).not.toBeNull()
    expect((await lock()).body).toEqual({
      lockedUntil,
      locks: [{ client: '203.0.113.7', lockedUntil }],
    })
    expect((await client.admin(`POST /users/${user.id}/unlock`)).status).toBe(204)
    expect((await lock()).body).toEqual(none)
  })

  it('holds for every client if the environment says so', async () => {
    const { user, email } = await client.newUser()
    const lock = () => client.admin(`GET /users/${user.id}/lock`)
    await fail(email, '203.0.113.8')
    await client.change({ lockout: { scope: 'account' } })
    expect((await lock()).body).toEqual({ lockedUntil: null, locks: [] })
    const { lockedUntil } = (await fail(email, '203.0.113.9')).body as unknown as UserLock
    expect((await lock()).body).toEqual({ lockedUntil, locks: [{ client: null, lockedUntil }] })
  })
})

describe('without the administration token', () => {
  it.each([undefined, 'Bearer wrong'])('%j is 401 everywhere', async (authorization) => {
    const place = `/${client.projectId}/environments/master`
    const one = `${place}/users/${randomUUID()}`
    for (const request of [
      `GET ${place}/users`,
      `GET ${one}`,
      `PATCH ${one}`,
      `DELETE ${one}`,
      `POST ${one}/logout`,
      `POST ${one}/unlock`,
      `GET ${one}/lock`,
      `GET ${one}/sessions`,
      `DELETE ${one}/sessions/${randomUUID()}`,
      `POST ${place}/users/import`,
      `GET ${place}/roles`,
      `POST ${place}/roles`,
    ]) {
      const { status, body } = await callAdmin(accounts.service.api, request, undefined, {
        authorization,
      })
      expect([request, status, body.error]).toEqual([request, 401, 'ADMIN_TOKEN_INVALID'])
    }
  })

  it('an unknown environment is 404', async () => {
    const { status, body } = await callAdmin(
      accounts.service.api,
      `GET /${client.projectId}/environments/none/users`,
    )
    expect([status, body.error]).toEqual([404, 'ENVIRONMENT_NOT_FOUND'])
  })
})
