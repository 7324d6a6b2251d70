import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { type AuthClient, openAuthClient, outcome } from './support/auth-client.ts'
import { sql as sqlOf } from './support/sql.ts'
import { openWorld, type Running, type World } from './support/under-test.ts'

let world: World
let service: Running
let client: AuthClient

beforeAll(async () => {
  world = await openWorld()
  service = await world.startService()
})
// Each test has its own project, because limits count per project.
beforeEach(async () => {
  client = await openAuthClient(service.api)
})
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

const sql = <Row>(text: string, values?: unknown[]) => sqlOf<Row>(world, text, values)

const invalid = [401, 'AUTH_TOKEN_INVALID']

describe('a refresh', () => {
  it('exchanges the token for a new pair; the old access token stays valid', async () => {
    const { accessToken, refreshToken } = await client.newUser()
    const answer = await client.refresh(refreshToken)
    expect(outcome(answer)).toEqual([200])
    expect(Object.keys(answer.body).toSorted()).toEqual(['accessToken', 'refreshToken'])
    expect(answer.body.refreshToken).not.toBe(refreshToken)
    expect(answer.body.refreshToken).toMatch(/^[A-Za-z0-9+/]{64}$/)
    expect(await client.isActive(accessToken)).toBe(true)
    expect(await client.isActive(answer.body.accessToken)).toBe(true)
    expect(outcome(await client.refresh(answer.body.refreshToken))).toEqual([200])
  })

  it('with a used token ends the session, its access tokens and its refresh token', async () => {
    const first = await client.newUser()
    const second = (await client.refresh(first.refreshToken)).body
    expect(outcome(await client.refresh(first.refreshToken))).toEqual(invalid)
    expect(outcome(await client.refresh(second.refreshToken))).toEqual(invalid)
    expect(await client.isActive(first.accessToken)).toBe(false)
    expect(await client.isActive(second.accessToken)).toBe(false)
    expect(outcome(await client.send('POST logout', { token: second.accessToken }))).toEqual(
      invalid,
    )
  })

  it('with a token from long ago ends the session as well', async () => {
    const first = await client.newUser()
    let { body } = await client.refresh(first.refreshToken)
    for (let times = 0; times < 3; times++) ({ body } = await client.refresh(body.refreshToken))
    expect(outcome(await client.refresh(first.refreshToken))).toEqual(invalid)
    expect(outcome(await client.refresh(body.refreshToken))).toEqual(invalid)
  })

  it('ends that session alone', async () => {
    const first = await client.newUser()
    const other = await client.login(first.email)
    await client.refresh(first.refreshToken)
    await client.refresh(first.refreshToken)
    expect(await client.isActive(other.accessToken)).toBe(true)
    expect(outcome(await client.refresh(other.refreshToken))).toEqual([200])
  })

  it('50 times at once succeeds once, and the session ends', async () => {
    const { accessToken, refreshToken } = await client.newUser()
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => client.refresh(refreshToken)),
    )
    const winners = answers.filter(({ status }) => status === 200)
    expect(winners).toHaveLength(1)
    for (const loser of answers.filter(({ status }) => status !== 200)) {
      expect(outcome(loser)).toEqual(invalid)
    }
    const winner = winners[0]?.body
    expect(await client.isActive(accessToken)).toBe(false)
    expect(await client.isActive(winner?.accessToken ?? '')).toBe(false)
    expect(outcome(await client.refresh(winner?.refreshToken ?? ''))).toEqual(invalid)
  })

  it('repeated within the interval gets the same successor, and later ends the session', async () => {
    const lenient = await openAuthClient(service.api, { settings: { refreshReuseInterval: 2 } })
    const { refreshToken } = await lenient.newUser()
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => lenient.refresh(refreshToken)),
    )
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    const successors = new Set(answers.map(({ body }) => body.refreshToken))
    expect(successors.size).toBe(1)
    const [successor = ''] = successors
    await sql(
      `update session set rotated_at = rotated_at - interval '3 seconds'
                where project_id = $1`,
      [lenient.projectId],
    )
    expect(outcome(await lenient.refresh(refreshToken))).toEqual(invalid)
    expect(outcome(await lenient.refresh(successor))).toEqual(invalid)
  })

  it('refuses a foreign token without ending a session', async () => {
    const { refreshToken, accessToken } = await client.newUser()
    const bytes = Buffer.from(refreshToken, 'base64')
    const flipped = (index: number) => {
      const copy = Buffer.from(bytes)
      copy[index] = (copy[index] ?? 0) ^ 1
      return copy.toString('base64')
    }
    const hostile = [
      'x',
      'A'.repeat(64),
      refreshToken.slice(0, -1),
      `${refreshToken}=`,
      ` ${refreshToken}`,
      `${refreshToken}A`,
      flipped(0),
      flipped(20),
      flipped(47),
      accessToken,
      'ünïcödé'.repeat(9),
    ]
    for (const token of hostile) expect(outcome(await client.refresh(token))).toEqual(invalid)
    expect(outcome(await client.refresh(refreshToken))).toEqual([200])
  })

  it('refuses a token of another environment', async () => {
    const other = await openAuthClient(service.api, {
      projectId: client.projectId,
      environment: 'staging',
    })
    const { refreshToken } = await client.newUser()
    expect(outcome(await other.refresh(refreshToken))).toEqual(invalid)
    expect(outcome(await client.refresh(refreshToken))).toEqual([200])
  })

  it.each(['idle_expires_at', 'expires_at'])('refuses a session past its %s', async (column) => {
    const { refreshToken, accessToken } = await client.newUser()
    const { body } = await client.introspect(accessToken)
    await sql(`update session set ${column} = now() - interval '1 second' where id = $1`, [
      body['sid'],
    ])
    expect(outcome(await client.refresh(refreshToken))).toEqual(invalid)
  })

  it('follows the settings of the environment for its ages', async () => {
    const short = await openAuthClient(service.api, {
      settings: { refreshTokenTtl: 60, accessTokenTtl: 120 },
    })
    const { accessToken } = await short.newUser()
    const { body } = await short.introspect(accessToken)
    const [row] = await sql<Record<string, number>>(
      `select extract(epoch from idle_expires_at - created_at)::int as idle,
              extract(epoch from expires_at - created_at)::int as absolute,
              extract(epoch from access_expires_at - created_at)::int as access
         from session where id = $1`,
      [body['sid']],
    )
    expect(row).toEqual({ idle: 60, absolute: 90 * 86_400, access: 180 })
  })

  it('keeps hashes of tokens and nothing else of them', async () => {
    const { refreshToken } = await client.newUser()
    const { body } = await client.refresh(refreshToken)
    const rows = await sql<{ row: string }>('select session::text as row from session')
    for (const token of [refreshToken, body.refreshToken]) {
      const forms = [token, Buffer.from(token, 'base64').toString('hex')]
      for (const form of forms) expect(rows.some(({ row }) => row.includes(form))).toBe(false)
    }
  })
})

describe('a logout', () => {
  it('ends the session, with all its access tokens and its refresh token', async () => {
    const first = await client.newUser()
    const second = (await client.refresh(first.refreshToken)).body
    const other = await client.login(first.email)
    expect(outcome(await client.send('POST logout', { token: second.accessToken }))).toEqual([200])
    expect(await client.isActive(first.accessToken)).toBe(false)
    expect(await client.isActive(second.accessToken)).toBe(false)
    expect(outcome(await client.refresh(second.refreshToken))).toEqual(invalid)
    expect(outcome(await client.send('POST logout', { token: first.accessToken }))).toEqual(invalid)
    expect(await client.isActive(other.accessToken)).toBe(true)
  })

  it('many times at once ends it for all of them', async () => {
    const { accessToken } = await client.newUser()
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => client.send('POST logout', { token: accessToken })),
    )
    expect(answers.some(({ status }) => status === 200)).toBe(true)
    for (const answer of answers) expect([200, 401]).toContain(answer.status)
    expect(await client.isActive(accessToken)).toBe(false)
  })

  it('needs a token', async () => {
    expect(outcome(await client.send('POST logout'))).toEqual(invalid)
    const basic = { headers: { authorization: 'Basic eDp5' } }
    expect(outcome(await client.send('POST logout', basic))).toEqual(invalid)
  })

  it('takes effect at once on the other replica', async () => {
    await using second = await world.startService()
    const there = await openAuthClient(second.api, { projectId: client.projectId })
    const { accessToken, refreshToken } = await client.newUser()
    expect(await there.isActive(accessToken)).toBe(true)
    await client.send('POST logout', { token: accessToken })
    expect(await there.isActive(accessToken)).toBe(false)
    expect(outcome(await there.refresh(refreshToken))).toEqual(invalid)
  })
})

describe('the administration', () => {
  it('ends every session of a user', async () => {
    const first = await client.newUser()
    const second = await client.login(first.email)
    const { status } = await client.admin(`POST /users/${first.user.id}/logout`)
    expect(status).toBe(204)
    for (const { accessToken, refreshToken } of [first, second]) {
      expect(await client.isActive(accessToken)).toBe(false)
      expect(outcome(await client.refresh(refreshToken))).toEqual(invalid)
    }
  })

  it('ends them with the user', async () => {
    const { user, accessToken, refreshToken } = await client.newUser()
    expect((await client.admin(`DELETE /users/${user.id}`)).status).toBe(204)
    expect(await client.isActive(accessToken)).toBe(false)
    expect(outcome(await client.refresh(refreshToken))).toEqual(invalid)
  })

  it('ends them when it disables the user', async () => {
    const { user, accessToken, refreshToken } = await client.newUser()
    expect((await client.admin(`PATCH /users/${user.id}`, { disabled: true })).status).toBe(200)
    expect(await client.isActive(accessToken)).toBe(false)
    expect(outcome(await client.refresh(refreshToken))).toEqual(invalid)
  })

  it('ends access tokens, not sessions, when it changes roles', async () => {
    expect((await client.admin('POST /roles', { name: 'editor' })).status).toBe(201)
    const { user, accessToken, refreshToken } = await client.newUser()
    expect((await client.admin(`PATCH /users/${user.id}`, { roles: ['editor'] })).status).toBe(200)
    expect(await client.isActive(accessToken)).toBe(false)
    const renewed = await client.refresh(refreshToken)
    expect(outcome(renewed)).toEqual([200])
    const { body } = await client.introspect(renewed.body.accessToken)
    expect(body).toMatchObject({ active: true, roles: ['editor'] })
    expect((await client.admin(`PATCH /users/${user.id}`, { roles: [] })).status).toBe(200)
    expect(await client.isActive(renewed.body.accessToken)).toBe(false)
  })

  it('never leaves a valid token with old roles, whenever it is refreshed', async () => {
    await client.admin('POST /roles', { name: 'reader' })
    const { user, refreshToken } = await client.newUser()
    let token = refreshToken
    for (let round = 0; round < 8; round++) {
      const roles = round % 2 === 0 ? ['reader'] : []
      const [changed, refreshed] = await Promise.all([
        client.admin(`PATCH /users/${user.id}`, { roles }),
        client.refresh(token),
      ])
      expect([changed.status, refreshed.status]).toEqual([200, 200])
      const { body } = await client.introspect(refreshed.body.accessToken)
      if (body.active) expect(body['roles']).toEqual(roles)
      token = refreshed.body.refreshToken
    }
  })
})
