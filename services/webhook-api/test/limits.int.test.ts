import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { clientOf as clientBelow, headersOf } from '@surehook/scripts/client/call'
import { openWorld, type Running, type Tenant, type World } from './support/under-test.ts'

let world: World
let alone: Running
const replicas: Running[] = []

const limits = { perSecond: 4, perTokenPerSecond: 2 }

beforeAll(async () => {
  world = await openWorld()
  for (let n = 0; n < 2; n++) replicas.push(await world.startService({ limits }))
  alone = await world.startService({ limits, redis: null })
})
afterAll(async () => {
  for (const replica of [...replicas, alone]) await replica?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

const clientOf = (tenant: Tenant, running = replicas[0]) =>
  clientBelow(`${running?.api}/api/rest`, headersOf(tenant))

const paths = ['_webhooks', '_deliveries', '_endpoints', '_events/none', '_stream?format=ndjson']

test('every answer shows both limits, also one that reports an error', async () => {
  const client = clientOf(await world.tenant())
  for (const path of paths) {
    const { headers } = await client.call(`GET /${path}`)
    expect(headers.get('ratelimit-policy')).toBe('"project";q=40;w=10, "token";q=20;w=10')
    expect(headers.get('ratelimit')).toMatch(/^"project";r=\d+;t=\d+, "token";r=\d+;t=\d+$/)
  }
})

test('two replicas admit the limit of a token, and another token has its own', async () => {
  const tenant = await world.tenant()
  const other = { ...tenant, token: await world.token(tenant.projectId) }
  const elsewhere = await world.tenant()
  const startedAt = performance.now()
  let admitted = 0
  for (let n = 0; n < 40; n++) {
    const { status } = await clientOf(tenant, replicas[n % 2]).call('GET /_webhooks')
    if (status === 200) admitted++
  }
  expect(admitted).toBeGreaterThanOrEqual(18)
  expect(admitted).toBeLessThanOrEqual(20 + 2 * ((performance.now() - startedAt) / 1_000 + 1))
  for (const path of paths) {
    const { status, body, headers } = await clientOf(tenant).call(`GET /${path}`)
    expect([status, body.error]).toEqual([429, 'RATE_LIMIT_EXCEEDED'])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  }
  expect((await clientOf(other).call('GET /_webhooks')).status).toBe(200)
  expect((await clientOf(elsewhere).call('GET /_webhooks')).status).toBe(200)
})

test('a replica without Redis keeps the limits alone', async () => {
  const tenant = await world.tenant()
  const statuses = []
  for (let n = 0; n < 30; n++) {
    statuses.push((await clientOf(tenant, alone).call('GET /_webhooks')).status)
  }
  expect(statuses.slice(0, 20)).toEqual(Array(20).fill(200))
  expect(statuses).toContain(429)
  const metrics = await (await fetch(`${alone.internal}/metrics`)).text()
  expect(metrics).toMatch(/surehook_rate_limit_leases_total{place="local".*} [1-9]/)
  expect(metrics).toMatch(/surehook_rate_limit_refused_total{.*} [1-9]/)
})
