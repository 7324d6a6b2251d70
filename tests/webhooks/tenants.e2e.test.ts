import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { admin, expectStatus, type Records } from '@surehook/scripts/client/call'
import { createToken, Tenant } from '@surehook/scripts/client/tenant'
import {
  openSharedListeningWorld,
  type SharedListeningWorld,
} from '../support/shared/shared-world.ts'
import { eventually } from '../support/world.ts'

let world: SharedListeningWorld
let owner: Tenant
/** Another environment of the owner's project, with a token only for it. */
let dev: Tenant
/** Another project, with the same environment and table names. */
let stranger: Tenant
let webhookId: string
let deliveryId: string
let eventId: string
let recordId: string

beforeAll(async () => {
  world = await openSharedListeningWorld()
  owner = await world.tenant()
  dev = await world.tenant({ projectId: owner.projectId, environment: 'dev', tokenFor: ['dev'] })
  stranger = await world.tenant()
  webhookId = (await owner.subscribe('https://receiver.example/', { active: false })).id
  ;({ deliveryId, eventId } = await owner.sendTest(webhookId))
  recordId = (await owner.insert({ status: 'mine' })).id
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

/** Queries about the owner's subscription. */
const logQuestions = (): [request: string, body?: unknown][] => [
  [`GET _webhooks/${webhookId}/explain?eventId=${eventId}`],
  [`POST _webhooks/${webhookId}/replay`, { from: new Date(Date.now() - 3_600_000).toISOString() }],
  [`GET _webhooks/${webhookId}/replays/${randomUUID()}`],
]

/** Every call of the management and data APIs, with a valid body. */
const calls = (tenant: Tenant): [request: string, body?: unknown][] => [
  ['POST _webhooks', tenant.subscriptionInput('https://receiver.example/')],
  ['GET _webhooks'],
  [`GET _webhooks/${webhookId}`],
  [`PATCH _webhooks/${webhookId}`, { active: true }],
  [`DELETE _webhooks/${webhookId}`],
  [`GET _webhooks/${webhookId}/deliveries`],
  [`GET _webhooks/${webhookId}/deliveries/${deliveryId}`],
  [`POST _webhooks/${webhookId}/deliveries/${deliveryId}/redeliver`],
  [`POST _webhooks/${webhookId}/recover`, { since: '2026-01-01T00:00:00Z' }],
  [`POST _webhooks/${webhookId}/test`],
  ['POST _webhooks/preview', { table: 'orders', events: ['INSERT'] }],
  ...logQuestions(),
  ['PUT _tables/orders', { columns: [{ name: 'stolen', type: 'text' }] }],
  ['PUT _tables/others', { columns: [] }],
  ['GET _tables'],
  ['GET _tables/orders'],
  ['DELETE _tables/orders'],
  ['POST orders', { status: 'stolen' }],
  ['GET orders'],
  [`GET orders/${recordId}`],
  [`PATCH orders/${recordId}`, { status: 'stolen' }],
  [`DELETE orders/${recordId}`],
]

const newToken = (fields: object) => createToken(world.system, owner.projectId, fields)

/** The owner's objects, which no foreign call may change. */
const possessions = async () => {
  const answers = ['GET _webhooks', 'GET _tables', 'GET orders'].map((request) =>
    owner.rest(request),
  )
  return (await Promise.all(answers)).map(({ text }) => text)
}

/** Returns the answers to all calls on the owner's environment with another credential. */
async function refusals(authorization: string | undefined) {
  const before = await possessions()
  const seen = new Set<string>()
  for (const [request, body] of calls(owner)) {
    const answer = await owner.rest(request, body, { authorization })
    seen.add(`${answer.status} ${answer.body.error}`)
  }
  expect(await possessions()).toEqual(before)
  return [...seen]
}

describe('every call about an environment', () => {
  it('is 401 without a token, and with an invalid one', async () => {
    for (const authorization of [
      `Bearer mt_${'A'.repeat(43)}`,
      `Bearer ${owner.token.slice(0, -1)}`,
    ]) {
      expect(await refusals(authorization)).toEqual(['401 MANAGEMENT_TOKEN_INVALID'])
    }
    for (const authorization of [undefined, 'Bearer ', `Bearer ${world.system.adminToken}`]) {
      // The last ones are about records, where a missing management token means that a user's token
      // is expected.
      expect(await refusals(authorization)).toEqual([
        '401 MANAGEMENT_TOKEN_INVALID',
        '401 AUTH_TOKEN_INVALID',
      ])
    }
  })

  /**
   * Every service refuses the token. One second is promised; the second one is for a busy machine.
   */
  const refusedSoon = async (authorization: string) => {
    for (const request of ['GET _webhooks', 'GET orders']) {
      const status = async () => (await owner.rest(request, undefined, { authorization })).status
      await eventually(status, (now) => now === 401)
    }
    expect(await refusals(authorization)).toEqual(['401 MANAGEMENT_TOKEN_INVALID'])
  }

  it('is 401 with an expired token', async () => {
    const { token } = await newToken({ expiresAt: new Date(Date.now() + 1_500).toISOString() })
    const authorization = `Bearer ${token}`
    expect((await owner.webhooks('GET', undefined, { authorization })).status).toBe(200)
    await refusedSoon(authorization)
  })

  it('is 401 with a revoked token', async () => {
    const { id, token } = await newToken({})
    const authorization = `Bearer ${token}`
    for (const request of ['GET _webhooks', 'GET orders']) {
      expect((await owner.rest(request, undefined, { authorization })).status).toBe(200)
    }
    const path = `/${owner.projectId}/management-tokens/${id}`
    expectStatus(204, await admin(world.system, `DELETE ${path}`))
    await refusedSoon(authorization)
  })

  it('is 403 with the token of another project', async () => {
    expect(await refusals(`Bearer ${stranger.token}`)).toEqual(['403 FORBIDDEN'])
  })

  it('is 403 with a token for another environment of the project', async () => {
    expect(await refusals(`Bearer ${dev.token}`)).toEqual(['403 FORBIDDEN'])
  })
})

describe('a caller in its own environment', () => {
  const ids = () =>
    [
      [`GET _webhooks/${webhookId}`],
      [`PATCH _webhooks/${webhookId}`, { active: true }],
      [`DELETE _webhooks/${webhookId}`],
      [`GET _webhooks/${webhookId}/deliveries`],
      [`GET _webhooks/${webhookId}/deliveries/${deliveryId}`],
      [`POST _webhooks/${webhookId}/deliveries/${deliveryId}/redeliver`],
      [`POST _webhooks/${webhookId}/recover`, { since: '2026-01-01T00:00:00Z' }],
      [`POST _webhooks/${webhookId}/test`],
      ...logQuestions(),
      [`GET orders/${recordId}`],
      [`PATCH orders/${recordId}`, { status: 'stolen' }],
      [`DELETE orders/${recordId}`],
    ] satisfies [request: string, body?: unknown][]

  it.each([
    ['project', () => stranger],
    ['environment', () => dev],
  ])('finds nothing of another %s', async (_what, other) => {
    const before = await possessions()
    for (const [request, body] of ids()) {
      expect((await other().rest(request, body)).status).toBe(404)
    }
    expect((await other().subscriptions()).webhooks).toEqual([])
    expect((await other().rest<Records>('GET orders')).body.records).toEqual([])
    expect(await possessions()).toEqual(before)
  })

  it('may drop its own table with the same name', async () => {
    const other = await world.tenant({ projectId: owner.projectId, environment: 'drop' })
    const before = await possessions()
    expectStatus(204, await other.rest('DELETE _tables/orders'))
    expect(await possessions()).toEqual(before)
  })
})

it('a token is valid for all present and future environments of its project, unless limited', async () => {
  const { token } = await newToken({})
  const later = await world.tenant({ projectId: owner.projectId, environment: 'later' })
  const { projectId, environment } = later
  const same = new Tenant(world.system, { projectId, environment, token })
  expect((await same.webhooks('GET')).status).toBe(200)
})

it('an environment that does not exist is 404', async () => {
  for (const request of ['GET _webhooks', 'GET _tables', 'GET orders']) {
    const answer = await owner.rest(request, undefined, { environment: 'nowhere' })
    expect([answer.status, answer.body.error]).toEqual([404, 'ENVIRONMENT_NOT_FOUND'])
  }
})

describe('administration', () => {
  it.each([
    ['GET ', undefined],
    ['GET /{p}/environments/master', undefined],
    ['PUT /{p}/environments/{new}', {}],
    ['POST /{p}/management-tokens', { name: 'mine' }],
    ['GET /{p}/management-tokens', undefined],
    ['DELETE /{p}/management-tokens/{new}', undefined],
  ])('%s is for the administration token alone', async (request, body) => {
    const path = request.replace('{p}', owner.projectId).replace('{new}', randomUUID())
    const call = (adminToken: string) => admin({ ...world.system, adminToken }, path, body)
    for (const adminToken of ['', 'wrong', `${world.system.adminToken}x`]) {
      const { status, body: problem } = await call(adminToken)
      expect([status, problem.error]).toEqual([401, 'ADMIN_TOKEN_INVALID'])
    }
    const { status, body: problem } = await call(owner.token)
    expect([status, problem.error]).toEqual([403, 'FORBIDDEN'])
  })
})

it('changes are delivered only to the tenant that made them', async () => {
  const tenants = [owner, dev, stranger]
  const listeners = await Promise.all(tenants.map((tenant) => world.listen(tenant)))
  for (let round = 0; round < 5; round++) {
    await Promise.all(tenants.map((tenant, index) => tenant.insert({ n: index })))
  }
  for (const [index, listener] of listeners.entries()) {
    const payloads = await listener.arrived(5)
    const { projectId, environment } = tenants[index] ?? owner
    expect(payloads.map((one) => [one.project_id, one.environment, one.record['n']])).toEqual(
      Array(5).fill([projectId, environment, index]),
    )
  }
})
