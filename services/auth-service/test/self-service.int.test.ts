import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { ChangeLog } from '@surehook/testing/change-log'
import { until } from '@surehook/testing/until'
import { type AccountWorld, openAccountWorld } from './support/account-world.ts'
import { type AuthClient, openAuthClient, outcome, password } from './support/auth-client.ts'
import { followUserChanges } from './support/user-changes.ts'

let accounts: AccountWorld
let changes: ChangeLog
let client: AuthClient

beforeAll(async () => {
  accounts = await openAccountWorld()
  changes = await followUserChanges()
})
beforeEach(async () => {
  client = await accounts.project({ emailVerification: false })
})
afterAll(async () => {
  await changes?.[Symbol.asyncDispose]()
  await accounts?.[Symbol.asyncDispose]()
})

type Graph = {
  data?: Record<string, unknown> | null
  errors?: { extensions: { code: string } }[]
}

async function graphql(query: string, token?: string) {
  const answer = await client.send<Graph>('POST graphql', { body: { query }, token })
  const { data, errors } = answer.body
  return { data, codes: errors?.map(({ extensions }) => extensions.code) }
}

const invalid = [401, 'AUTH_TOKEN_INVALID']
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)

describe('the own account', () => {
  it.each([false, true])(
    'is shown to the bearer of its token (encrypted: %s)',
    async (encrypted) => {
      await client.change({ encryptTokens: encrypted })
      const { user, accessToken } = await client.newUser()
      expect(accessToken.split('.')).toHaveLength(encrypted ? 5 : 3)
      const { status, body } = await client.send('GET me', { token: accessToken })
      const me = { ...user, emailVerified: true, createdAt: time, updatedAt: time }
      expect([status, body]).toEqual([200, me])
      const asked = '{ me { id email firstName lastName roles emailVerified createdAt updatedAt } }'
      expect(await graphql(asked, accessToken)).toEqual({ data: { me: body }, codes: undefined })
    },
  )

  it('has the roles of now', async () => {
    await client.admin('POST /roles', { name: 'editor' })
    const { user, refreshToken } = await client.newUser()
    await client.admin(`PATCH /users/${user.id}`, { roles: ['editor'] })
    const { accessToken } = (await client.refresh(refreshToken)).body
    const { body } = await client.send('GET me', { token: accessToken })
    expect(body['roles']).toEqual(['editor'])
  })

  it('is shown to nobody without a good token, nor in another environment', async () => {
    const { accessToken } = await client.newUser()
    const other = await openAuthClient(accounts.service.api, {
      projectId: client.projectId,
      environment: 'other',
    })
    const ended = await client.newUser()
    await client.send('POST logout', { token: ended.accessToken })
    for (const call of ['GET me', 'GET sessions', `DELETE sessions/${ended.user.id}`]) {
      expect(outcome(await client.send(call))).toEqual(invalid)
      expect(outcome(await client.send(call, { token: ended.accessToken }))).toEqual(invalid)
      expect(outcome(await other.send(call, { token: accessToken }))).toEqual(invalid)
    }
    const names = { firstName: 'Ada' }
    expect(outcome(await client.send('PATCH me', { body: names }))).toEqual(invalid)
    expect(outcome(await other.send('PATCH me', { body: names, token: accessToken }))).toEqual(
      invalid,
    )
    expect(await graphql('{ me { id } }')).toEqual({
      data: { me: null },
      codes: ['AUTH_TOKEN_INVALID'],
    })
  })

  it('ends with the token', async () => {
    await client.change({ accessTokenTtl: 1 })
    const { accessToken } = await client.newUser()
    const ask = () => client.send('GET me', { token: accessToken })
    const isRefused = async () => (await ask()).status === 401
    await until(isRefused, { what: 'the end of the token' })
    expect(outcome(await ask())).toEqual([401, 'AUTH_TOKEN_EXPIRED'])
  })
})

describe('the own names', () => {
  it('change with an event, and only when they differ', async () => {
    const { user, accessToken: token } = await client.newUser()
    const patch = (body: unknown) => client.send('PATCH me', { body, token })
    const changed = await patch({ firstName: 'Ada', lastName: 'L.' })
    expect([changed.status, changed.body]).toMatchObject([
      200,
      { id: user.id, firstName: 'Ada', lastName: 'L.' },
    ])
    expect((await patch({})).body).toEqual(changed.body)
    expect((await patch({ firstName: 'Ada' })).body).toEqual(changed.body)
    const update = 'mutation { updateMe(lastName: null) { firstName lastName } }'
    expect((await graphql(update, token)).data).toEqual({
      updateMe: { firstName: 'Ada', lastName: '' },
    })
    const events = await changes.until(client.projectId, 3)
    expect(events.map(({ operation, changedFields }) => [operation, changedFields])).toEqual([
      ['INSERT', []],
      ['UPDATE', ['firstName', 'lastName']],
      ['UPDATE', ['lastName']],
    ])
    expect(events[2]).toMatchObject({
      table: 'users',
      recordId: user.id,
      data: { firstName: 'Ada', lastName: '', email: user.email, roles: [] },
    })
  })

  it('are all that changes', async () => {
    const { accessToken: token } = await client.newUser()
    const others = { roles: ['admin'], email: 'x@example.com', attributes: { team: 'north' } }
    const body = { firstName: 'a\u0007', lastName: 7, ...others }
    const answer = await client.send('PATCH me', { body, token })
    expect([
      answer.status,
      answer.body.violations?.map(({ field, rule }) => [field, rule]),
    ]).toEqual([
      400,
      [
        ['firstName', 'invalid_text'],
        ['lastName', 'invalid_type'],
        ['roles', 'unrecognized'],
        ['email', 'unrecognized'],
        ['attributes', 'unrecognized'],
      ],
    ])
  })
})

type Session = { id: string; createdAt: string; lastUsedAt: string; current: boolean }

async function sessionsOf(token: string, query = '') {
  const { status, body } = await client.send(`GET sessions${query}`, { token })
  expect(status).toBe(200)
  return body as unknown as { sessions: Session[]; nextCursor: string | null }
}

describe('the own sessions', () => {
  it('are listed, newest first, without anything that opens them', async () => {
    const first = await client.newUser()
    const second = await client.login(first.email)
    await client.newUser()
    const renewed = (await client.refresh(first.refreshToken)).body
    const { sessions, nextCursor } = await sessionsOf(renewed.accessToken)
    const id = expect.stringMatching(/^[0-9a-f-]{36}$/)
    expect([nextCursor, sessions]).toEqual([
      null,
      [
        { id, createdAt: time, lastUsedAt: time, current: false },
        { id, createdAt: time, lastUsedAt: time, current: true },
      ],
    ])
    const [other, own] = sessions
    expect(own && own.lastUsedAt > own.createdAt).toBe(true)
    const page = await sessionsOf(second.accessToken, '?limit=1')
    expect(page.sessions.map((one) => [one.id, one.current])).toEqual([[other?.id, true]])
    const next = await sessionsOf(second.accessToken, `?limit=1&cursor=${page.nextCursor}`)
    expect(next).toEqual({ sessions: [{ ...own, current: false }], nextCursor: null })
    const asked = '{ sessions(limit: 1) { sessions { id current } nextCursor } }'
    expect((await graphql(asked, second.accessToken)).data).toEqual({
      sessions: { sessions: [{ id: other?.id, current: true }], nextCursor: page.nextCursor },
    })
  })

  it('leave out what has ended', async () => {
    const { email, accessToken } = await client.newUser()
    const logged = await client.login(email)
    const idle = await client.login(email)
    await client.send('POST logout', { token: logged.accessToken })
    const { sub, sid } = claimsOf(idle.accessToken)
    await accounts.database.query(
      'update session set idle_expires_at = now() where id = $1 and user_id = $2',
      [sid, sub],
    )
    const { sessions } = await sessionsOf(accessToken)
    expect(sessions.map(({ id }) => id)).toEqual([claimsOf(accessToken).sid])
    const answer = await client.send(`DELETE sessions/${sid}`, { token: accessToken })
    expect(outcome(answer)).toEqual([404, 'SESSION_NOT_FOUND'])
  })

  it('end one by one, everywhere at once', async () => {
    await using twin = await accounts.startService()
    const there = await openAuthClient(twin.api, { projectId: client.projectId })
    const own = await client.newUser()
    const other = await client.login(own.email)
    const third = await client.login(own.email)
    const end = (session: { accessToken: string }) =>
      client.send(`DELETE sessions/${claimsOf(session.accessToken).sid}`, {
        token: own.accessToken,
      })
    expect(outcome(await end(other))).toEqual([204])
    expect(await there.isActive(other.accessToken)).toBe(false)
    expect(outcome(await there.refresh(other.refreshToken))).toEqual(invalid)
    expect(await there.isActive(third.accessToken)).toBe(true)
    expect(outcome(await end(other))).toEqual([404, 'SESSION_NOT_FOUND'])
    const query = `mutation { endSession(id: "${claimsOf(third.accessToken).sid}") { message } }`
    expect(await graphql(query, own.accessToken)).toEqual({
      data: { endSession: { message: expect.any(String) } },
      codes: undefined,
    })
    expect(await there.isActive(third.accessToken)).toBe(false)
    expect(outcome(await end(own))).toEqual([204])
    expect(await there.isActive(own.accessToken)).toBe(false)
  })

  it('of others are none', async () => {
    const { accessToken: token } = await client.newUser()
    const stranger = await client.newUser()
    const elsewhere = await accounts.project({ emailVerification: false })
    const far = await elsewhere.newUser()
    for (const id of [stranger, far].map((one) => claimsOf(one.accessToken).sid).concat('x')) {
      const answer = await client.send(`DELETE sessions/${id}`, { token })
      expect(outcome(answer)).toEqual([404, 'SESSION_NOT_FOUND'])
    }
    expect(await client.isActive(stranger.accessToken)).toBe(true)
    expect(await elsewhere.isActive(far.accessToken)).toBe(true)
  })
})

const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as {
    sid: string
    sub: string
  }

describe('the public settings', () => {
  const rules = ['too_short', 'too_long', 'invalid_text', 'contains_email', 'common']

  it('need no credential, and tell what a form has to know', async () => {
    const settings = {
      emailVerification: false,
      encryptTokens: false,
      password: { minLength: 8, maxLength: 128, minScore: 0, breachCheck: false, rules },
    }
    const { status, body } = await client.send('GET settings')
    expect([status, body]).toEqual([200, settings])
    const changed = { minLength: 12, minScore: 3, breachCheck: true }
    await client.change({ emailVerification: true, encryptTokens: true, password: changed })
    const asked = `{ settings { emailVerification encryptTokens
      password { minLength maxLength minScore breachCheck rules } } }`
    expect((await graphql(asked)).data).toEqual({
      settings: {
        emailVerification: true,
        encryptTokens: true,
        password: { ...changed, maxLength: 128, rules: [...rules, 'too_guessable', 'breached'] },
      },
    })
  })

  it('are not there where authentication is not', async () => {
    const headers = { environment: 'nowhere' }
    const answer = await client.send('GET settings', { headers })
    expect(outcome(answer)).toEqual([404, 'AUTH_NOT_CONFIGURED'])
    await client.change({ enabled: false })
    expect(outcome(await client.send('GET settings'))).toEqual([404, 'AUTH_NOT_CONFIGURED'])
  })
})

it('names each rule that a new password breaks, as the settings list them', async () => {
  const { accessToken: token } = await client.newUser()
  await client.change({ password: { minLength: 12 } })
  const body = { oldPassword: password, newPassword: 'password' }
  const { body: refused } = await client.send('POST change-password', { body, token })
  expect(refused.violations?.map(({ field, rule }) => [field, rule])).toEqual([
    ['newPassword', 'too_short'],
    ['newPassword', 'common'],
  ])
})
