import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Answer } from '@surehook/scripts/client/call'
import { clientOf } from './support/client.ts'
import { graphqlClientOf } from './support/graphql-client.ts'
import { openWorld, type Running, type Tenant, type World } from './support/under-test.ts'

let world: World
const replicas: Running[] = []

beforeAll(async () => {
  world = await openWorld()
  for (let n = 0; n < 2; n++) replicas.push(await world.startService())
})

afterAll(async () => {
  for (const replica of replicas) await replica[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

type Limits = { perSecond?: number; burst?: number; perTokenPerSecond?: number }

const full = (data: Limits) => {
  const none = { perSecond: null, burst: null, perTokenPerSecond: null }
  return { limits: { data: { ...none, ...data }, webhooks: none } }
}

/** A tenant with a table, whose limits apply in both replicas. */
async function tenantWith(limits: Limits) {
  const tenant = await world.tenant()
  const clients = replicas.map(({ api }) => clientOf(api, tenant))
  const [one, other] = clients
  if (one === undefined || other === undefined) throw new Error('there are two replicas')
  const columns = [{ name: 'a', type: 'integer' }]
  const access = { read: ['reader'], create: ['reader'] }
  expect((await one.call('PUT _tables/orders', { columns, access })).status).toBe(200)
  await world.setUp(tenant, full(limits))
  const users = await Promise.all([userOf(tenant), userOf(tenant)])
  // A user's request reads the topic to its end first.
  for (const [n, user] of users.entries())
    await clientOf(replicas[n]?.api ?? '', user).call('GET nothing')
  return { tenant, one, other }
}

const userOf = async (tenant: Tenant): Promise<Tenant> => ({
  ...tenant,
  token: await world.issuer.token(tenant, { roles: ['reader'] }),
})

const statusOf = ({ status }: Answer) => status
const limited = (answer: Answer) => {
  expect(answer.status).toBe(429)
  expect(answer.body).toEqual({ error: 'RATE_LIMIT_EXCEEDED', message: 'Too many requests' })
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(answer.headers.get('ratelimit')).toMatch(/^"project";r=\d+;t=\d+, "token"/)
}

describe('the limit of a project', () => {
  test('holds over two replicas', async () => {
    const { one, other } = await tenantWith({ perSecond: 1, burst: 40 })
    const startedAt = performance.now()
    const answers: Answer[] = []
    for (let n = 0; n < 60; n++) answers.push(await (n % 2 === 0 ? one : other).call('GET orders'))
    const seconds = (performance.now() - startedAt) / 1_000
    const admitted = answers.filter(({ status }) => status === 200).length
    expect(admitted).toBeGreaterThanOrEqual(35)
    expect(admitted).toBeLessThanOrEqual(40 + seconds + 1)
    limited(answers.at(-1) as Answer)
  })

  test('is shown in every answer to a valid credential', async () => {
    const { tenant, one } = await tenantWith({ perSecond: 10, burst: 100, perTokenPerSecond: 5 })
    for (const request of ['GET orders', 'GET nothing', 'POST _changes', 'GET _tables']) {
      const { headers } = await one.call(request)
      expect(headers.get('ratelimit-policy')).toBe('"project";q=100;w=10, "token";q=50;w=10')
      expect(headers.get('ratelimit')).toMatch(/^"project";r=\d+;t=\d+, "token";r=\d+;t=\d+$/)
    }
    const stranger = clientOf(replicas[0]?.api ?? '', { ...tenant, token: `mt_${'a'.repeat(43)}` })
    const { status, headers } = await stranger.call('GET orders')
    expect([status, headers.get('ratelimit')]).toEqual([401, null])
  })

  test('is not spent by strangers', async () => {
    const { tenant, one } = await tenantWith({ perSecond: 1, burst: 10 })
    const stranger = clientOf(replicas[0]?.api ?? '', { ...tenant, token: `mt_${'a'.repeat(43)}` })
    for (let n = 0; n < 30; n++) expect((await stranger.call('GET orders')).status).toBe(401)
    expect((await one.call('GET orders')).status).toBe(200)
  })

  test('does not concern another project, nor another environment', async () => {
    const { tenant, one } = await tenantWith({ perSecond: 1, burst: 5 })
    while ((await one.call('GET orders')).status !== 429);
    const environment = 'test'
    await world.setUp({ ...tenant, environment }, {})
    const beside = clientOf(replicas[0]?.api ?? '', { ...tenant, environment })
    const { one: elsewhere } = await tenantWith({ perSecond: 1, burst: 5 })
    expect((await beside.call('GET _tables')).status).toBe(200)
    expect((await elsewhere.call('GET orders')).status).toBe(200)
  })
})

describe('the limit of a token', () => {
  test('counts each user alone', async () => {
    const { tenant } = await tenantWith({ perSecond: 100, burst: 1_000, perTokenPerSecond: 1 })
    const api = replicas[0]?.api ?? ''
    const [one, other] = [await userOf(tenant), await userOf(tenant)]
    const statuses = []
    for (let n = 0; n < 20; n++)
      statuses.push(statusOf(await clientOf(api, one).call('GET orders')))
    expect(statuses.slice(0, 9)).toEqual(Array(9).fill(200))
    expect(statuses).toContain(429)
    expect(statusOf(await clientOf(api, other).call('GET orders'))).toBe(200)
  })
})

describe('a long list', () => {
  const change = () => ({ table: 'invoices', event: 'INSERT', recordId: randomUUID(), record: {} })

  test('of changes weighs 1 point for each 20', async () => {
    const { one } = await tenantWith({ perSecond: 1, burst: 70 })
    const batch = Array.from({ length: 1_000 }, change)
    expect(statusOf(await one.call('POST _changes', batch))).toBe(202)
    limited(await one.call('POST _changes', batch))
  })

  test('of records weighs the same in REST and GraphQL', async () => {
    const { tenant, one } = await tenantWith({ perSecond: 1, burst: 9 })
    const ask = graphqlClientOf(replicas[0]?.api ?? '', tenant)
    const records = Array.from({ length: 100 }, () => ({ a: 1 }))
    expect(statusOf(await one.call('POST orders', records))).toBe(201)
    const { errors } = await ask(
      'mutation ($input: [Order_new!]!) { createOrders(input: $input) { id } }',
      { input: records },
    )
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' })
  })
})

test('GraphQL answers 429 with the same headers, and further fields weigh like requests', async () => {
  const { tenant } = await tenantWith({ perSecond: 1, burst: 20 })
  const api = replicas[0]?.api ?? ''
  const fields = Array.from({ length: 10 }, (_, n) => `f${n}: orders { records { id } }`)
  const ask = () => graphqlClientOf(api, tenant)(`{ ${fields.join(' ')} }`)
  expect((await ask()).errors).toEqual([])
  while ((await ask()).errors.length === 0);
  const refused = await fetch(`${api}/api/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${tenant.token}`,
      'x-project-id': tenant.projectId,
      environment: tenant.environment,
    },
    body: JSON.stringify({ query: '{ orders { records { id } } }' }),
  })
  expect(refused.status).toBe(429)
  expect(refused.headers.get('ratelimit')).toMatch(/"(project|token)";r=0;t=/)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  const { errors } = (await refused.json()) as { errors: { extensions: object }[] }
  expect(errors[0]?.extensions).toMatchObject({
    code: 'RATE_LIMIT_EXCEEDED',
    retryAfter: expect.any(Number),
  })
})
