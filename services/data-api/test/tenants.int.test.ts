import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Client, fieldsOf, type Records } from '@surehook/scripts/client/call'
import { clientOf } from './support/client.ts'
import { openWorld, type Running, type Tenant, type World } from './support/under-test.ts'

let world: World
let running: Running

beforeAll(async () => {
  world = await openWorld()
  running = await world.startService()
})

afterAll(async () => {
  await running?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

const columns = [{ name: 'owner', type: 'text', unique: true }]

describe('tenants', () => {
  // Pairs that become equal if the two names are joined carelessly.
  const unique = randomUUID().slice(0, 8)
  const pairs = [
    ['a', 'bc'],
    ['ab', 'c'],
    ['a', 'b-c'],
    ['a-b', 'c'],
    ['a', 'b_c'],
    ['a_b', 'c'],
    ['A', 'bc'],
    ['a', 'master'],
    ['public', 'master'],
    ['pg_catalog', 'x'.repeat(64)],
    ['x'.repeat(50), 'x'.repeat(64)],
    ['x'.repeat(51), 'x'.repeat(63)],
  ].map(([project, environment = '']) => ({ projectId: `${unique}${project}`, environment }))

  test('each sees and changes only its own, though all names are the same', async () => {
    const clients: Client[] = []
    for (const pair of pairs) clients.push(clientOf(running.api, await world.tenant(pair)))
    const records: string[] = []
    for (const [index, client] of clients.entries()) {
      expect((await client.call('PUT _tables/things', { columns })).status).toBe(200)
      // The same value everywhere: values are unique only within one table.
      const { status, body } = await client.call('POST things', { owner: 'same' })
      expect(status).toBe(201)
      records.push(body.id)
      expect((await client.call(`PATCH things/${body.id}`, { owner: `${index}` })).status).toBe(200)
    }
    for (const [index, client] of clients.entries()) {
      const { body } = await client.call<Records>('GET things')
      expect(body.records.map(({ owner }) => owner)).toEqual([`${index}`])
      for (const id of records.filter((_, other) => other !== index)) {
        const statuses = [
          (await client.call(`GET things/${id}`)).status,
          (await client.call(`PATCH things/${id}`, { owner: 'stolen' })).status,
          (await client.call(`DELETE things/${id}`)).status,
        ]
        expect(statuses).toEqual([404, 404, 404])
      }
    }
    const [first, ...others] = clients
    await first?.call('DELETE _tables/things')
    for (const other of others) expect((await other.call('GET things')).status).toBe(200)
  })

  test('a change is published with the names of its tenant', async () => {
    const tenant = await world.tenant({ environment: 'staging' })
    const client = clientOf(running.api, tenant)
    await client.call('PUT _tables/things', { columns })
    await client.call('POST things', { owner: 'me' })
    const [change] = await world.changes.until(tenant.projectId, 1)
    expect(change).toMatchObject({ environment: 'staging', table: 'things', operation: 'INSERT' })
  })
})

describe('a credential', () => {
  let tenant: Tenant
  let other: Tenant
  let client: Client

  beforeAll(async () => {
    tenant = await world.tenant()
    other = await world.tenant()
    client = clientOf(running.api, tenant)
    await client.call('PUT _tables/things', { columns })
  })

  const requests: [request: string, body?: object][] = [
    ['GET _tables'],
    ['GET _tables/things'],
    ['PUT _tables/things', { columns }],
    ['DELETE _tables/things'],
    ['GET things'],
    ['POST things', {}],
    ['GET things/1'],
    ['PATCH things/1', {}],
    ['DELETE things/1'],
  ]

  test.each(requests)('%s is refused without the right one', async (...[request, body]) => {
    const outcome = async (headers: Record<string, string | undefined>) => {
      const answer = await client.call(request, body, headers)
      return [answer.status, answer.body.error, ...fieldsOf(answer)]
    }
    const code = request.includes(' _tables') ? 'MANAGEMENT_TOKEN_INVALID' : 'AUTH_TOKEN_INVALID'
    for (const authorization of [
      undefined,
      '',
      'Basic x',
      `Basic ${tenant.token}`,
      'Bearer ',
      `Bearer ${randomBytes(32).toString('base64')}`,
      `Bearer x, Bearer y`,
    ]) {
      expect([authorization, ...(await outcome({ authorization }))]).toEqual([
        authorization,
        401,
        code,
      ])
    }
    for (const token of [`mt_${'x'.repeat(43)}`, 'mt_x', 'mt_x.y.z', tenant.token.slice(0, -1)]) {
      const refused = await outcome({ authorization: `Bearer ${token}` })
      expect([token, ...refused]).toEqual([token, 401, 'MANAGEMENT_TOKEN_INVALID'])
    }
    expect(await outcome({ authorization: `Bearer ${other.token}` })).toEqual([403, 'FORBIDDEN'])
    expect(await outcome({ 'x-project-id': other.projectId })).toEqual([403, 'FORBIDDEN'])
    expect(await outcome({ 'x-project-id': undefined })).toEqual([
      400,
      'VALIDATION_ERROR',
      'X-Project-Id',
    ])
    expect(await outcome({ environment: 'nope' })).toEqual([404, 'ENVIRONMENT_NOT_FOUND'])
  })

  test('is refused for other environments, accepted for this one, and invalid once expired', async () => {
    const statusWith = async (limits: Parameters<World['token']>[1]) => {
      const token = await world.token(tenant.projectId, limits)
      return (await client.call('GET things', undefined, { authorization: `Bearer ${token}` }))
        .status
    }
    expect(await statusWith({ environments: ['staging'] })).toBe(403)
    expect(await statusWith({ environments: ['staging', 'master'] })).toBe(200)
    expect(await statusWith({ expiresAt: '2026-01-01T00:00:00.000Z' })).toBe(401)
  })

  test('without an environment header the environment is master', async () => {
    expect((await client.call('GET things', undefined, { environment: undefined })).status).toBe(
      200,
    )
  })

  test('a fault of the request is reported before the missing environment', async () => {
    const answer = await client.call('PUT _tables/things', {}, { environment: 'nope' })
    expect([answer.status, fieldsOf(answer)]).toEqual([400, ['columns']])
  })
})
