import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { EncryptionKeys } from '@surehook/service-kit/config/config'
import { createSecretBox } from '@surehook/service-kit/crypto/secret-box'
import { until } from '@surehook/testing/until'
import type { ReEncryptedKeys } from '../src/keys/re-encrypt-keys.ts'
import { type AuthClient, openAuthClient, outcome, password } from './support/auth-client.ts'
import { sql } from './support/sql.ts'
import {
  adminToken,
  encryptionKey,
  openWorld,
  type Running,
  serviceToken,
  type World,
} from './support/under-test.ts'

const newKey = randomBytes(32)

let world: World
/** One project on replicas that started before, during and after the replacement of the key. */
let running: Running[] = []
let before: AuthClient
let during: AuthClient
let after: AuthClient

const startWith = async (...encryptionKeys: EncryptionKeys) => {
  const service = await world.startService({ encryptionKeys })
  running.unshift(service)
  return service
}

beforeAll(async () => {
  world = await openWorld()
  await startWith(encryptionKey, newKey)
  await startWith(newKey, encryptionKey)
  await startWith(newKey)
})
beforeEach(async () => {
  for (const table of ['signing_key', 'mail_outbox', 'code', 'session', 'encryption_key']) {
    await sql(world, `delete from ${table}`)
  }
  const [afterApi = '', duringApi = '', beforeApi = ''] = running.map(({ api }) => api)
  const settings = { refreshReuseInterval: 60 }
  before = await openAuthClient(beforeApi, { settings })
  const { projectId } = before
  during = await openAuthClient(duringApi, { projectId, settings })
  after = await openAuthClient(afterApi, { projectId, settings })
})
afterAll(async () => {
  for (const service of running) await service[Symbol.asyncDispose]()
  running = []
  await world?.[Symbol.asyncDispose]()
})

async function reEncrypt(query = '', token = adminToken) {
  const answer = await fetch(`${running[1]?.api}/auth/admin/reseal${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
  })
  return { status: answer.status, body: (await answer.json()) as ReEncryptedKeys }
}

describe('while the key is replaced', () => {
  it('sessions continue on any replica, and a repeated refresh is no reuse', async () => {
    const { refreshToken } = await before.newUser()
    const first = await during.refresh(refreshToken)
    expect(outcome(first)).toEqual([200])
    const repeated = await before.refresh(refreshToken)
    expect(repeated.body.refreshToken).toBe(first.body.refreshToken)
    const next = await before.refresh(first.body.refreshToken)
    expect(outcome(next)).toEqual([200])
    const again = await during.refresh(first.body.refreshToken)
    expect(again.body.refreshToken).toBe(next.body.refreshToken)
    expect(await during.isActive(again.body.accessToken)).toBe(true)
  })

  it('a used token still ends its session', async () => {
    await during.change({ refreshReuseInterval: 0 })
    const { refreshToken } = await before.newUser()
    expect(outcome(await during.refresh(refreshToken))).toEqual([200])
    expect(outcome(await during.refresh(refreshToken))).toEqual([401, 'AUTH_TOKEN_INVALID'])
  })

  it('codes that were mailed before stay valid', async () => {
    const { email } = await before.newUser()
    await before.send('POST recover-password', { body: { email } })
    const code = await waitingCode(encryptionKey)
    const wrong = String((Number(code) + 1) % 1_000_000).padStart(6, '0')
    const reset = (of: string) =>
      during.send('POST reset-password', { body: { email, code: of, newPassword: password } })
    expect(outcome(await reset(wrong))).toEqual([400, 'AUTH_INVALID_CODE'])
    expect(outcome(await reset(code))).toEqual([200])
    expect(outcome(await reset(code))).toEqual([400, 'AUTH_INVALID_CODE'])
  })
})

type WaitingMail = { id: string; sealed: string }

async function waitingCode(key: Buffer): Promise<string> {
  const waiting = 'select id, sealed_code as sealed from mail_outbox'
  let mail: WaitingMail | undefined
  const isThere = async () => {
    ;[mail] = await sql<WaitingMail>(world, waiting)
    return mail !== undefined
  }
  // It may come after the answer.
  await until(isThere, { what: 'a mail that waits' })
  return createSecretBox(key).open(mail?.sealed ?? '', `mail/${mail?.id}`)
}

describe('re-encryption of the keys', () => {
  it("leaves only clients' values under the previous key, and reports until when", async () => {
    const { email, refreshToken, accessToken } = await before.newUser()
    await before.send('POST recover-password', { body: { email } })
    const code = await waitingCode(encryptionKey)
    await expect(waitingCode(newKey)).rejects.toThrow()

    const { status, body } = await reEncrypt()
    expect([status, body]).toEqual([
      200,
      {
        checked: 2,
        resealed: 2,
        unreadable: 0,
        next: null,
        previousKeysUntil: expect.any(String),
        sessions: 1,
      },
    ])
    expect(Date.parse(body.previousKeysUntil ?? '')).toBeGreaterThan(Date.now() + 29 * 86_400_000)
    expect(await waitingCode(newKey)).toBe(code)
    const { accessToken: later } = await after.login(email)
    for (const token of [accessToken, later]) {
      expect(await after.isActive(token)).toBe(true)
      expect(await before.isActive(token)).toBe(true)
    }
    expect(outcome(await after.refresh(refreshToken))).toEqual([401, 'AUTH_TOKEN_INVALID'])

    const renewed = await during.refresh(refreshToken)
    expect(outcome(await after.refresh(renewed.body.refreshToken))).toEqual([200])
    await sql(world, 'delete from code')
    expect((await reEncrypt()).body).toEqual({
      ...body,
      resealed: 0,
      previousKeysUntil: null,
      sessions: 0,
    })
  })

  it('continues page by page, and reports unreadable values', async () => {
    await before.newUser()
    await sql(
      world,
      `insert into signing_key select project_id, environment, 'copy-' || n, use, public_key,
         sealed_private_key, longest_ttl, created_at, active_from
         from signing_key, generate_series(1, 250) n`,
    )
    const first = (await reEncrypt()).body
    expect(first).toMatchObject({ checked: 200, previousKeysUntil: null })
    const rest = (await reEncrypt(`?after=${encodeURIComponent(first.next ?? '')}`)).body
    expect(rest).toMatchObject({ checked: 51, next: null, sessions: 1 })
    expect(first.unreadable + rest.unreadable).toBe(250)
    expect(first.resealed + rest.resealed).toBe(1)
  })

  it('is for the administrator', async () => {
    for (const token of ['wrong-token-of-nobody', serviceToken]) {
      expect(await reEncrypt('', token)).toMatchObject({
        status: 401,
        body: { error: 'ADMIN_TOKEN_INVALID' },
      })
    }
    for (const position of ['x', '["a"]', '{}']) {
      expect(await reEncrypt(`?after=${position}`)).toMatchObject({
        status: 400,
        body: { violations: [{ field: 'query.after' }] },
      })
    }
  })
})

it('each of several administration and service tokens is valid during a rotation', async () => {
  await using twin = await world.startService({
    adminTokens: ['the-next-admin-token', adminToken],
    serviceTokens: ['the-next-service-token', serviceToken],
  })
  const introspect = async (token: string) => {
    const { projectId, environment } = before
    const answer = await fetch(`${twin.api}/auth/introspect`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'x-project-id': projectId,
        environment,
        'content-type': 'application/json',
      },
      body: '{"token":"x"}',
    })
    return answer.status
  }
  const list = async (token: string) =>
    (
      await fetch(`${twin.api}/auth/admin/projects`, {
        headers: { authorization: `Bearer ${token}` },
      })
    ).status
  expect(
    await Promise.all(['the-next-service-token', serviceToken, adminToken].map(introspect)),
  ).toEqual([200, 200, 401])
  expect(await Promise.all(['the-next-admin-token', adminToken, serviceToken].map(list))).toEqual([
    200, 200, 401,
  ])
})
