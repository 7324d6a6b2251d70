import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { tokenDigest } from '@surehook/access/admin-gate'
import type { ChangeEvent } from '@surehook/contracts/events'
import type { Preview } from '@surehook/contracts/http/webhooks/log'
import { changesTopic } from '@surehook/contracts/topics'
import { openHeaders } from '@surehook/matching/own-headers'
import { fieldsOf } from '@surehook/scripts/client/call'
import { createSecretBox } from '@surehook/service-kit/crypto/secret-box'
import { openPool } from '@surehook/service-kit/postgres/pool'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import { followTopics } from '@surehook/testing/follow-topics'
import { until } from '@surehook/testing/until'
import type { Pool } from 'pg'
import { awaitLongRetries } from '../src/subscriptions/store/long-retries.ts'
import { logChanges } from './support/changes.ts'
import { clientOf, validInput, type WebhooksClient } from './support/client.ts'
import {
  encryptionKey,
  log,
  openWorld,
  type Running,
  type Tenant,
  type World,
} from './support/under-test.ts'

const adminToken = 'token-of-the-administrator'
const value = 'Bearer value-that-nobody-may-see'
const headers = { 'X-Route': 'blue', authorization: value }

let world: World
let pool: Pool
let service: Running
let tenant: Tenant
let client: WebhooksClient
const lines: string[] = []

beforeAll(async () => {
  world = await openWorld()
  const connectionString = world.database.databaseUrl
  pool = openPool({ connectionString, applicationName: 'test', log })
  const logger = createLogger('test', 'trace', { write: (line) => void lines.push(line) })
  service = await world.startService({}, logger)
})
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  await pool?.end()
  await world?.[Symbol.asyncDispose]()
})
beforeEach(async () => {
  tenant = await world.tenant()
  client = clientOf(service.api, tenant)
})

const create = async (policy?: object | null) => {
  const answer = await client.call('POST', { ...validInput(tenant), policy })
  expect(answer).toMatchObject({ status: 201 })
  return answer.body
}
const stateOf = async (id: string) => (await world.subscriptionStates()).get(id)
const headersOf = async (id: string, key = encryptionKey) => {
  const sealed = (await stateOf(id))?.policy?.headers
  return sealed && openHeaders(createSecretBox(key), id, sealed.ciphertext)
}
const patch = async (id: string, policy: object | null) => {
  const { status, body, text } = await client.call(`PATCH /${id}`, { policy })
  return { status, policy: body.policy, text }
}

describe('a policy', () => {
  it('is nowhere to be seen without one, whatever says so', async () => {
    for (const none of [undefined, null, {}, { headers: null }, { headers: {} }]) {
      const created = await create(none)
      expect(created).not.toHaveProperty('policy')
      expect((await stateOf(created.id))?.policy).toBeNull()
    }
  })

  it('keeps what a change does not name, and null sets its default', async () => {
    const { id } = await create({ headers })
    const shown = { headerNames: ['authorization', 'X-Route'] }
    expect((await client.call(`PATCH /${id}`, { events: ['DELETE'] })).body).toMatchObject({
      policy: shown,
    })
    expect(await patch(id, {})).toMatchObject({ status: 200, policy: shown })
    expect(await headersOf(id)).toEqual(headers)
    expect(await patch(id, { headers: { b: '1' } })).toMatchObject({
      policy: { headerNames: ['b'] },
    })
    expect(await headersOf(id)).toEqual({ b: '1' })
    expect((await patch(id, { headers: null })).policy).toBeUndefined()
    await patch(id, { headers })
    expect((await patch(id, null)).policy).toBeUndefined()
    expect(await stateOf(id)).toMatchObject({ policy: null })
  })

  it('is refused with the field, and nothing of the change is done', async () => {
    const { id } = await create()
    const refused = async (policy: unknown) => {
      const answer = await client.call(`PATCH /${id}`, { active: false, policy })
      expect([answer.status, answer.text.includes(value)]).toEqual([400, false])
      return fieldsOf(answer)
    }
    expect(await refused({ headers: { 'Content-Type': value, 'x y': '1', ok: '1' } })).toEqual([
      'policy.headers.Content-Type',
      'policy.headers.x y',
    ])
    expect(await refused({ headers: { a: `${value}\r\nb: c` } })).toEqual(['policy.headers.a'])
    expect(await refused({ headers: [value] })).toEqual(['policy.headers'])
    expect(await refused({ unknown: 1 })).toEqual(['policy.unknown'])
    expect(await refused('x')).toEqual(['policy'])
    expect((await client.get(id)).body.webhook).toMatchObject({ active: true })
  })

  it('has retry delays of the installation, or those that the preset stands for', async () => {
    const answer = await client.call('POST', {
      ...validInput(tenant),
      policy: { retryDelays: ['1s', '60m', '120m', '10d'] },
    })
    expect([answer.status, JSON.parse(answer.text).violations]).toEqual([
      400,
      [1, 3].map((nth) => ({
        field: `policy.retryDelays.${nth}`,
        message: "must be one of the installation's delays: 1s, 5s, 30s, 5m, 30m, 2h, 8h",
        rule: 'not_on_ladder',
      })),
    ])
    const created = await create({ retryDelays: ['1s', '120m'] })
    expect(created).toMatchObject({ policy: { retryDelays: ['1s', '2h'] } })
    const extended = await patch(created.id, { retryDelays: 'extended' })
    const hours = Array.from({ length: 6 }, () => '8h')
    const retryDelays = ['1s', '5s', '30s', '5m', '30m', '2h', ...hours]
    expect(extended.policy).toEqual({ retryDelays })
    expect(await stateOf(created.id)).toMatchObject({ policy: { retryDelays } })
    expect((await patch(created.id, { retryDelays: null })).policy).toBeUndefined()
  })

  it('has limits of its endpoint, within bounds', async () => {
    const { id } = await create({ concurrency: 1, rateLimit: { perSecond: 0.1 } })
    expect(await patch(id, { concurrency: 32 })).toMatchObject({
      policy: { concurrency: 32, rateLimit: { perSecond: 0.1 } },
    })
    expect(await stateOf(id)).toMatchObject({ policy: { concurrency: 32, perSecond: 0.1 } })
    const refused = async (policy: object) =>
      fieldsOf(await client.call(`PATCH /${id}`, { policy }))
    for (const concurrency of [0, 33, 1.5]) {
      expect(await refused({ concurrency })).toEqual(['policy.concurrency'])
    }
    for (const perSecond of [0.09, 1_001, '1']) {
      expect(await refused({ rateLimit: { perSecond } })).toEqual(['policy.rateLimit.perSecond'])
    }
    expect(await refused({ rateLimit: {} })).toEqual(['policy.rateLimit.perSecond'])
    const rest = await patch(id, { rateLimit: null })
    expect(rest.policy).toEqual({ concurrency: 32 })
  })

  it('orders deliveries per record, and by nothing else', async () => {
    const { id, policy } = await create({ ordered: 'record' })
    expect(policy).toEqual({ ordered: 'record' })
    expect(await stateOf(id)).toMatchObject({ policy: { ordered: 'record' } })
    for (const ordered of ['table', true, '']) {
      const { status, text } = await client.call(`PATCH /${id}`, { policy: { ordered } })
      const { violations } = JSON.parse(text) as { violations: { field: string }[] }
      expect([status, violations.map(({ field }) => field)]).toEqual([400, ['policy.ordered']])
    }
    expect((await patch(id, { ordered: null })).policy).toBeUndefined()
    expect(await stateOf(id)).toMatchObject({ policy: null })
  })

  it('belongs to its tenant', async () => {
    const { id } = await create({ headers })
    const stranger = clientOf(service.api, await world.tenant())
    const answer = await stranger.call(`PATCH /${id}`, { policy: null })
    expect([answer.status, answer.body.error]).toEqual([404, 'WEBHOOK_NOT_FOUND'])
    expect(await headersOf(id)).toEqual(headers)
  })
})

describe('the values of headers', () => {
  it('are in no answer, no log, no event, and sealed in table and topic', async () => {
    const events: ChangeEvent[] = []
    await using following = followTopics({
      kafka: world.kafka,
      topics: [changesTopic],
      log,
      take: async (message) => {
        if (message.value) events.push(await world.codec.change.decode(message.value))
      },
    })
    await following.ready
    const created = await client.call('POST', { ...validInput(tenant), policy: { headers } })
    const { id } = created.body
    const texts = [created, await client.call(`GET /${id}`), await client.call('GET')]
    const changed = { ...headers, authorization: `${value}-2` }
    texts.push(await client.call(`PATCH /${id}`, { policy: { headers: changed } }))
    const mine = () => events.filter(({ recordId }) => recordId === id)
    await until(() => mine().length === 2)
    // The names alone do not show that a value has changed.
    expect(mine().map(({ changedFields }) => changedFields)).toEqual([[], ['policy']])
    const { rows } = await pool.query('select policy::text from subscription where id = $1', [id])
    const seen = [...texts.map(({ text }) => text), ...mine().map(({ record }) => record)]
    const all = [...seen, ...lines, JSON.stringify(rows), JSON.stringify(await stateOf(id))]
    expect(all.filter((text) => text.includes('value-that-nobody'))).toEqual([])
    expect(seen.filter((text) => text.includes('headerNames'))).toHaveLength(seen.length)
  })

  it('are not in a preview, their names are', async () => {
    await logChanges(world, tenant, [{ record: { total: 1 } }])
    const input = { table: 'orders', events: ['INSERT'], policy: { headers } }
    const { text } = await client.call('POST /preview', input)
    const { samples } = JSON.parse(text) as Preview
    expect(samples[0]?.headers).toMatchObject({ authorization: '***', 'X-Route': '***' })
    expect(text).not.toContain('value-that-nobody')
  })

  it('are re-encrypted under a new key, which opens them then', async () => {
    const { id } = await create({ headers })
    const newKey = randomBytes(32)
    await using during = await world.startService({
      encryptionKeys: [newKey, encryptionKey],
      adminTokenDigests: [tokenDigest(adminToken)],
    })
    const reEncrypt = async () => {
      const answer = await fetch(`${during.api}/api/rest/_webhooks/_reseal`, {
        method: 'POST',
        headers: { authorization: `Bearer ${adminToken}` },
      })
      return (await answer.json()) as { resealed: number; unreadable: number }
    }
    expect(await reEncrypt()).toMatchObject({ unreadable: 0 })
    expect(await headersOf(id, newKey)).toEqual(headers)
    expect(await reEncrypt()).toMatchObject({ resealed: 0 })
    const shown = (await clientOf(during.api, tenant).get(id)).body.webhook
    expect(shown).toMatchObject({ policy: { headerNames: ['authorization', 'X-Route'] } })
    expect(shown?.warnings?.map(({ field }) => field)).toEqual(['table'])
    // The service that has only the old key says that it cannot read them.
    const warned = (await client.get(id)).body.webhook
    expect(warned?.warnings?.map(({ field }) => field)).toContain('policy.headers')
  })
})

it('the purge of an environment waits until the slowest retry topic has none of its jobs', async () => {
  const names = [tenant.projectId, tenant.environment]
  await create({ retryAfter: true })
  expect(await awaitLongRetries(pool, names, 0)).toBe(false)
  const { id } = await create({ retryDelays: 'extended' })
  // Jobs still wait, although the schedule is different by now.
  await patch(id, null)
  const stranger = await world.tenant()
  expect(await awaitLongRetries(pool, [stranger.projectId, 'master'], 0)).toBe(false)
  expect(await awaitLongRetries(pool, names, 60_000)).toBe(true)
  // The first call has set the end of the wait.
  expect(await awaitLongRetries(pool, names, 0)).toBe(true)
  await pool.query(`update long_retries set ends_at = now() - interval '1 s'`)
  expect(await awaitLongRetries(pool, names, 60_000)).toBe(false)
})
