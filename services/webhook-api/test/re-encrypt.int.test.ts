import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { tokenDigest } from '@surehook/access/admin-gate'
import type { ResealedPage } from '@surehook/contracts/http/admin/re-encryption'
import type { EncryptionKeys } from '@surehook/service-kit/config/config'
import { createSecretBox } from '@surehook/service-kit/crypto/secret-box'
import type { Pool } from 'pg'
import { clientOf, validInput } from './support/client.ts'
import {
  encryptionKey,
  openWorld,
  type Running,
  type Tenant,
  type World,
} from './support/under-test.ts'

const adminToken = 'token-of-the-administrator'
const newKey = randomBytes(32)

let world: World
let pool: Pool
/** Services that run before, during and after the replacement of the key. */
let before: Running
let during: Running
let after: Running
let tenant: Tenant

const startWith = (...encryptionKeys: EncryptionKeys) =>
  world.startService({ encryptionKeys, adminTokenDigests: [tokenDigest(adminToken)] })

beforeAll(async () => {
  world = await openWorld()
  pool = world.pool
  before = await startWith(encryptionKey, newKey)
  during = await startWith(newKey, encryptionKey)
  after = await startWith(newKey)
})
afterAll(async () => {
  for (const service of [after, during, before]) await service?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})
beforeEach(async () => {
  await pool.query('delete from subscription')
  tenant = await world.tenant()
})

async function ask(query = '', token = adminToken, { api } = during) {
  const answer = await fetch(`${api}/api/rest/_webhooks/_reseal${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
  })
  return { status: answer.status, body: (await answer.json()) as ResealedPage }
}

async function reEncryptAll(): Promise<ResealedPage[]> {
  const pages: ResealedPage[] = []
  for (let next: string | null = ''; next !== null; ) {
    const { status, body } = await ask(next && `?after=${next}`)
    expect(status).toBe(200)
    pages.push(body)
    next = body.next
  }
  return pages
}

const stateOf = async (id: string) => (await world.subscriptionStates()).get(id)
const secretsUnder = (key: Buffer, id: string, secrets: { ciphertext: string }[] = []) =>
  secrets.map(({ ciphertext }) => createSecretBox(key).open(ciphertext, id))

describe('re-encrypting secrets', () => {
  it('re-encrypts every signing secret in the table and on the topic, and sends no event', async () => {
    const client = clientOf(before.api, tenant)
    const { id } = (await client.call('POST', validInput(tenant))).body
    await client.call(`PATCH /${id}`, { secret: 'signing-secret-2' })
    const old = await stateOf(id)
    expect(secretsUnder(encryptionKey, id, old?.secrets)).toEqual([
      'signing-secret-2',
      'signing-secret-1',
    ])
    const known = (await client.get(id)).body.webhook

    expect(await ask()).toEqual({
      status: 200,
      body: { checked: 1, resealed: 1, unreadable: 0, next: null },
    })
    const state = await stateOf(id)
    expect(secretsUnder(newKey, id, state?.secrets)).toEqual([
      'signing-secret-2',
      'signing-secret-1',
    ])
    expect({ ...state, secrets: null }).toEqual({ ...old, secrets: null })
    const { rows } = await pool.query('select secrets from subscription where id = $1', [id])
    expect(rows).toEqual([{ secrets: state?.secrets }])
    expect((await clientOf(after.api, tenant).get(id)).body.webhook).toEqual(known)
    expect(await reEncryptAll()).toEqual([{ checked: 1, resealed: 0, unreadable: 0, next: null }])
  })

  it('drops a secret that no longer signs, and reports an unreadable one', async () => {
    const client = clientOf(before.api, tenant)
    const { id } = (await client.call('POST', validInput(tenant))).body
    const lost = createSecretBox(randomBytes(32)).seal('lost', id)
    const past = { ciphertext: lost, validUntil: '2020-01-01T00:00:00.000Z' }
    await pool.query('update subscription set secrets = secrets || $1::jsonb', [
      JSON.stringify([past]),
    ])
    expect((await ask()).body).toMatchObject({ resealed: 1, unreadable: 0 })
    expect((await stateOf(id))?.secrets).toHaveLength(1)
    const valid = { ciphertext: lost, validUntil: null }
    await pool.query('update subscription set secrets = $1::jsonb', [JSON.stringify([valid])])
    expect((await ask()).body).toMatchObject({ checked: 1, resealed: 0, unreadable: 1 })
    expect((await pool.query('select secrets from subscription')).rows).toEqual([
      { secrets: [valid] },
    ])
  })

  it('continues page by page', async () => {
    const { id } = (await clientOf(before.api, tenant).call('POST', validInput(tenant))).body
    await pool.query(
      `insert into subscription select gen_random_uuid(), project_id, environment, watched_table, events, url,
         active, filter, selected, secrets, created_at, updated_at, disabled_at, disabled_reason
         from subscription, generate_series(1, 450) where id = $1`,
      [id],
    )
    const pages = await reEncryptAll()
    expect(pages.map(({ checked }) => checked)).toEqual([200, 200, 51])
    // The copies are unreadable, because a secret is bound to the id of its row.
    expect(pages.reduce((sum, { resealed }) => sum + resealed, 0)).toBe(1)
    expect(pages.reduce((sum, { unreadable }) => sum + unreadable, 0)).toBe(450)
  })

  it("needs the administrator's old or new token", async () => {
    expect(await ask('', 'other-token-of-somebody')).toMatchObject({
      status: 401,
      body: { error: 'ADMIN_TOKEN_INVALID' },
    })
    expect(await ask('?after=x')).toMatchObject({
      status: 400,
      body: { violations: [{ field: 'query.after' }] },
    })
  })
})

it('answers a repeated request under another key with what it answered first', async () => {
  const headers = { 'idempotency-key': 'once' }
  const input = validInput(tenant)
  const first = await clientOf(before.api, tenant).call('POST', input, headers)
  expect(first.status).toBe(201)
  const repeated = await clientOf(during.api, tenant).call('POST', input, headers)
  expect([repeated.status, repeated.body]).toEqual([201, first.body])
  const other = await clientOf(during.api, tenant).call('POST', { ...input, table: 'x' }, headers)
  expect(other.status).toBe(409)
})
