import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { openPool } from '@surehook/service-kit/postgres/pool'
import { decodeProtectedHeader, SignJWT } from 'jose'
import { endedKeys } from '../src/keys/delete-expired-keys.ts'
import { type AuthClient, callAdmin, openAuthClient, outcome } from './support/auth-client.ts'
import { sql } from './support/sql.ts'
import { type StoredKey, storedKey } from './support/stored-keys.ts'
import { log, openWorld, type Running, type World } from './support/under-test.ts'

let world: World
let service: Running
let twin: Running
let client: AuthClient
/** The same environment on another replica. */
let other: AuthClient

beforeAll(async () => {
  world = await openWorld()
  service = await world.startService()
  twin = await world.startService()
})
beforeEach(async () => {
  client = await openAuthClient(service.api)
  other = await openAuthClient(twin.api, { projectId: client.projectId })
})
afterAll(async () => {
  await twin?.[Symbol.asyncDispose]()
  await service?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

const kidsOf = async (of: AuthClient) => (await of.publishedKeys()).map(({ kid }) => kid).toSorted()
const replace = () => client.admin('POST /keys/rotate?immediately=true')

/** Signs changed claims of a valid token, as the holder of a leaked private key could. */
async function forge(claims: Record<string, unknown>, { kid, key }: StoredKey): Promise<string> {
  const { active: _active, token_type: _type, ...own } = claims
  return new SignJWT({ ...own, jti: 'forged', gen: 2_000_000_000 })
    .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid })
    .sign(key)
}

describe('keys that are replaced at once', () => {
  it('are gone on every replica from the answer on, with every token made with them', async () => {
    const { accessToken, refreshToken, email } = await client.newUser()
    const leaked = await storedKey(world, client, 'sig')
    const forged = await forge((await client.introspect(accessToken)).body, leaked)
    // Both replicas have cached the keys and the tokens.
    for (const at of [client, other]) {
      expect(await at.isActive(accessToken)).toBe(true)
      expect(await at.isActive(forged)).toBe(true)
    }
    const before = await kidsOf(client)
    const { status, body } = await replace()
    expect(status).toBe(200)
    expect(body).toMatchObject({ keys: [{ use: 'sig' }] })

    for (const at of [other, client]) {
      expect(await at.isActive(accessToken)).toBe(false)
      expect(await at.isActive(forged)).toBe(false)
      const after = await kidsOf(at)
      expect(after).toHaveLength(1)
      expect(before).not.toContain(after[0])
      const fresh = await at.login(email)
      expect(decodeProtectedHeader(fresh.accessToken).kid).toBe(after[0])
      expect(await client.isActive(fresh.accessToken)).toBe(true)
    }
    const refreshed = await other.refresh(refreshToken)
    expect(outcome(refreshed)).toEqual([200])
    expect(await client.isActive(refreshed.body.accessToken)).toBe(true)
  })

  it('include encryption keys and waiting keys', async () => {
    await client.change({ encryptTokens: true })
    const { accessToken } = await client.newUser()
    expect(await other.isActive(accessToken)).toBe(true)
    await client.admin('POST /keys/rotate')
    const before = await kidsOf(client)
    expect(before).toHaveLength(4)
    await replace()
    const after = await kidsOf(other)
    expect(after).toHaveLength(2)
    expect(after.filter((kid) => before.includes(kid))).toEqual([])
    expect(await other.isActive(accessToken)).toBe(false)
  })

  it('raise the epoch on the topic of environments before the answer', async () => {
    const epoch = async () => {
      const { environments } = await world.platformState()
      return environments.get(`${client.projectId}/master`)?.keyEpoch ?? 0
    }
    const before = await epoch()
    expect(before).toBeGreaterThan(0)
    await client.admin('POST /keys/rotate')
    expect(await epoch()).toBe(before)
    await replace()
    expect(await epoch()).toBe(before + 1)
    await client.change({ accessTokenTtl: 60 })
    expect(await epoch()).toBe(before + 1)
  })

  it('belong to one environment only', async () => {
    const neighbour = await openAuthClient(service.api, {
      projectId: client.projectId,
      environment: 'neighbour',
    })
    const { accessToken } = await neighbour.newUser()
    await replace()
    expect(await neighbour.isActive(accessToken)).toBe(true)
  })

  it('require the administrator and the exact request', async () => {
    const { accessToken } = await client.newUser()
    const { status, body } = await client.admin('POST /keys/rotate?immediately=yes')
    expect([status, body.error, body.violations?.[0]?.field]).toEqual([
      400,
      'VALIDATION_ERROR',
      'immediately',
    ])
    const path = `/${client.projectId}/environments/master/keys/rotate?immediately=true`
    const refused = await callAdmin(service.api, `POST ${path}`, undefined, {
      authorization: undefined,
    })
    expect([refused.status, refused.body.error]).toEqual([401, 'ADMIN_TOKEN_INVALID'])
    expect(await client.isActive(accessToken)).toBe(true)
  })
})

describe('keys that have ended', () => {
  /** Moves the times back as if this time had passed. */
  const pass = (time: string) =>
    sql(
      world,
      `update signing_key set active_from = active_from - $2::interval where project_id = $1`,
      [client.projectId, time],
    )
  const stored = async () => {
    const rows = await sql<{ kid: string }>(
      world,
      'select kid from signing_key where project_id = $1 order by active_from',
      [client.projectId],
    )
    return rows.map(({ kid }) => kid)
  }

  it('are deleted an hour after their last token has expired, and not before', async () => {
    await client.newUser()
    await client.admin('POST /keys/rotate')
    const [old, next] = await stored()
    const connectionString = world.database.databaseUrl
    const pool = openPool({ connectionString, applicationName: 'test', log })
    const deleteReplaced = async () => {
      await endedKeys.run(pool)
      return stored()
    }
    expect(await deleteReplaced()).toEqual([old, next])
    // 7 minutes until the next key is used, 15 for the last token, and the hour.
    await pass('81 minutes')
    expect(await deleteReplaced()).toEqual([old, next])
    await pass('2 minutes')
    expect(await deleteReplaced()).toEqual([next])
    await pass('10 years')
    expect(await deleteReplaced()).toEqual([next])
    await pool.end()
  })
})
