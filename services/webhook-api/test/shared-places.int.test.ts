import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, it } from '@jest/globals'
import { openRedis, type RedisClient } from '@surehook/service-kit/redis/client'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import { openRedisAs, type RedisAsUser } from '@surehook/testing/redis-user'
import { until } from '@surehook/testing/until'
import { SharedPlaces } from '../src/stream/shared-places.ts'

const log = createLogger('shared-places', 'silent')
const perTenant = 2

let redis: RedisClient
let api: RedisAsUser
let replicas: DisposableStack
let tenant: string
beforeEach(async () => {
  const url = process.env['TEST_REDIS_URL'] ?? ''
  redis = await openRedis({ url, log })
  api = await openRedisAs('webhook-api', url)
  replicas = new DisposableStack()
  tenant = `${randomUUID()}/master`
})
afterEach(async () => {
  replicas.dispose()
  await api[Symbol.asyncDispose]()
  redis.destroy()
})

const replica = (leaseMs = 30_000, client: () => RedisClient | null = () => api.client) =>
  replicas.use(new SharedPlaces({ redis: client, perTenant, log, leaseMs }))

const eventually = (isTrue: () => Promise<boolean>, what: string) => until(isTrue, { what })

it('bounds the streams of a tenant on all replicas together', async () => {
  // The lease does not end during the test.
  const [one, other] = [replica(600_000), replica(600_000)]
  const place = await one.enter(tenant)
  expect(place).not.toBeNull()
  expect(await other.enter(tenant)).not.toBeNull()
  expect([await one.enter(tenant), await other.enter(tenant)]).toEqual([null, null])
  expect(await other.enter(`${tenant}-other`)).not.toBeNull()

  place?.[Symbol.dispose]()
  await eventually(
    async () => (await other.enter(tenant)) !== null,
    'the place that was given back',
  )
  expect(await one.enter(tenant)).toBeNull()
})

it('forgets the places of a killed replica when their lease ends', async () => {
  const killed = new SharedPlaces({ redis: () => redis, perTenant, log, leaseMs: 3_000 })
  // It renews no more, as if its process were gone.
  killed[Symbol.dispose]()
  await killed.enter(tenant)
  await killed.enter(tenant)
  const next = replica()
  expect(await next.enter(tenant)).toBeNull()
  await eventually(async () => (await next.enter(tenant)) !== null, 'the end of the lease')
})

it('keeps the places of a running replica, also if Redis lost them', async () => {
  const running = replica(300)
  await running.enter(tenant)
  await running.enter(tenant)
  await redis.del(`surehook:limit:webhooks:streams:${tenant}`)
  const next = replica(300)
  const isFull = async () => {
    const place = await next.enter(tenant)
    place?.[Symbol.dispose]()
    return place === null
  }
  await eventually(isFull, 'the renewed places')
})

it('opens streams while Redis is away', async () => {
  const alone = replica(30_000, () => null)
  for (let n = 0; n <= perTenant; n++) expect(await alone.enter(tenant)).not.toBeNull()
})
