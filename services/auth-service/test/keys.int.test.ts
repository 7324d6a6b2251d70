import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { decodeProtectedHeader } from 'jose'
import { type AuthClient, openAuthClient } from './support/auth-client.ts'
import { sql } from './support/sql.ts'
import { storedKey } from './support/stored-keys.ts'
import { adminToken, openWorld, type Running, type World } from './support/under-test.ts'

let world: World
let service: Running
let client: AuthClient

beforeAll(async () => {
  world = await openWorld()
  service = await world.startService()
})
beforeEach(async () => {
  client = await openAuthClient(service.api)
})
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

describe('the key set', () => {
  it('has one key for signatures, and one for encryption when tokens are encrypted', async () => {
    const answer = await client.send('GET .well-known/jwks.json')
    expect(answer.status).toBe(200)
    expect(answer.headers.get('cache-control')).toContain('max-age=300')
    const [sig, ...others] = await client.publishedKeys()
    expect(others).toEqual([])
    expect(Object.keys(sig ?? {}).toSorted()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use'])
    expect(sig).toMatchObject({ kty: 'RSA', use: 'sig', alg: 'RS256' })
    await client.change({ encryptTokens: true })
    expect((await client.publishedKeys()).map(({ use, alg }) => [use, alg])).toEqual([
      ['sig', 'RS256'],
      ['enc', 'RSA-OAEP-256'],
    ])
    await client.change({ encryptTokens: false })
    expect(await client.publishedKeys()).toEqual([sig])
  })

  it('answers 304 while it is unchanged', async () => {
    const etag = (await client.send('GET .well-known/jwks.json')).headers.get('etag') ?? ''
    const held = { headers: { 'if-none-match': etag } }
    expect((await client.send('GET .well-known/jwks.json', held)).status).toBe(304)
    await client.change({ encryptTokens: true })
    expect((await client.send('GET .well-known/jwks.json', held)).status).toBe(200)
  })

  it('is made with the environment, as soon as authentication is enabled', async () => {
    const usesOf = async (of: AuthClient) => {
      const rows = await sql<{ use: string }>(
        world,
        'select use from signing_key where project_id = $1 order by use',
        [of.projectId],
      )
      return rows.map(({ use }) => use)
    }
    expect(await usesOf(client)).toEqual(['sig'])
    const off = await openAuthClient(service.api, { settings: { enabled: false } })
    expect(await usesOf(off)).toEqual([])
    await off.change({ enabled: true, encryptTokens: true })
    expect(await usesOf(off)).toEqual(['enc', 'sig'])
  })

  it('is made once at first use where it is missing, however many ask', async () => {
    await using second = await world.startService()
    const there = await openAuthClient(second.api, { projectId: client.projectId })
    await sql(world, 'delete from signing_key where project_id = $1', [client.projectId])
    const sets = await Promise.all(
      Array.from({ length: 12 }, (_, index) => (index % 2 === 0 ? client : there).publishedKeys()),
    )
    expect(new Set(sets.map((keys) => JSON.stringify(keys))).size).toBe(1)
  })

  it('shows no private member, and the database has only encrypted private keys', async () => {
    await client.newUser()
    const rows = await sql<{ row: string }>(
      world,
      'select signing_key::text as row from signing_key',
    )
    for (const { row } of rows) expect(row).not.toContain('PRIVATE KEY')
    expect((await storedKey(world, client, 'sig')).pem).toContain('PRIVATE KEY')
  })
})

describe('a rotation', () => {
  it('publishes the new key before it is used, and keeps the old while its tokens live', async () => {
    /** Moves the times back, as if this time had passed. */
    const letPass = (time: string) =>
      sql(
        world,
        'update signing_key set active_from = active_from - $2::interval where project_id = $1',
        [client.projectId, time],
      )
    const before = await client.newUser()
    const [old] = await client.publishedKeys()
    const { status, body } = await client.admin('POST /keys/rotate')
    expect(status).toBe(200)
    expect(body).toMatchObject({ keys: [{ use: 'sig' }, { use: 'sig' }] })
    const published = (await client.publishedKeys()).map(({ kid }) => kid)
    expect(published).toHaveLength(2)
    const kidOf = (token: string) => decodeProtectedHeader(token).kid
    const during = await client.login(before.email)
    expect(kidOf(during.accessToken)).toBe(old?.kid)
    // A second request makes no third key while one is waiting.
    await client.admin('POST /keys/rotate')
    expect(await client.publishedKeys()).toHaveLength(2)
    // The time for which a new key is only published.
    await letPass('7 minutes')
    expect(await client.publishedKeys()).toHaveLength(2)
    const after = await client.login(before.email)
    expect(kidOf(after.accessToken)).not.toBe(old?.kid)
    expect(published).toContain(kidOf(after.accessToken))
    expect(await client.isActive(after.accessToken)).toBe(true)
    // The lifetime of the last token, and a minute.
    await letPass('16 minutes')
    expect((await client.publishedKeys()).map(({ kid }) => kid)).toEqual([kidOf(after.accessToken)])
  })

  it('happens automatically when the key has reached its maximum age', async () => {
    const { accessToken } = await client.newUser()
    await sql(
      world,
      `update signing_key set created_at = created_at - interval '91 days' where project_id = $1`,
      [client.projectId],
    )
    expect(await client.publishedKeys()).toHaveLength(2)
    expect(await client.publishedKeys()).toHaveLength(2)
    expect(await client.isActive(accessToken)).toBe(true)
  })

  it('needs the administration token and an existing environment', async () => {
    expect((await client.admin('POST /keys/rotate')).status).toBe(200)
    const response = await fetch(
      `${service.api}/auth/admin/projects/${client.projectId}/environments/master/keys/rotate`,
      { method: 'POST' },
    )
    expect(response.status).toBe(401)
    const nowhere = await openAuthClient(service.api)
    const missing = await fetch(
      `${service.api}/auth/admin/projects/${nowhere.projectId}/environments/nope/keys/rotate`,
      { method: 'POST', headers: { authorization: `Bearer ${adminToken}` } },
    )
    expect(missing.status).toBe(404)
  })
})
