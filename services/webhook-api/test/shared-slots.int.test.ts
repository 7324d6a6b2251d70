import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, it } from '@jest/globals'
import { openRedis, type RedisClient } from '@surehook/service-kit/redis/client'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import { openRedisAs, type RedisAsUser } from '@surehook/testing/redis-user'
import { until } from '@surehook/testing/until'
import { SharedSlots } from '../src/stream/shared-slots.ts'

const log = createLogger('shared-slots', 'silent')
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
  replicas.use(new SharedSlots({ redis: client, log, leaseMs }))

const eventually = (isTrue: () => Promise<boolean>, what: string) => until(isTrue, { what })

it('bounds the streams of a tenant on all replicas together', async () => {
  // The lease does not end during the test.
  const [one, other] = [replica(600_000), replica(600_000)]
  const slot = await one.take(tenant, perTenant)
  expect(slot).not.toBeNull()
  expect(await other.take(tenant, perTenant)).not.toBeNull()
  expect([await one.take(tenant, perTenant), await other.take(tenant, perTenant)]).toEqual([
    null,
    null,
  ])
  expect(await other.take(`${tenant}-other`, perTenant)).not.toBeNull()

  slot?.[Symbol.dispose]()
  await eventually(
    async () => (await other.take(tenant, perTenant)) !== null,
    'the slot that was given back',
  )
  expect(await one.take(tenant, perTenant)).toBeNull()
})

it('forgets the slots of a killed replica when their lease ends', async () => {
  const killed = new SharedSlots({ redis: () => redis, log, leaseMs: 3_000 })
  // It renews no more, as if its process were gone.
  killed[Symbol.dispose]()
  await killed.take(tenant, perTenant)
  await killed.take(tenant, perTenant)
  const next = replica()
  expect(await next.take(tenant, perTenant)).toBeNull()
  await eventually(
    async () => (await next.take(tenant, perTenant)) !== null,
    'the end of the lease',
  )
})

it('keeps the slots of a running replica, also if Redis lost them', async () => {
  const running = replica(300)
  await running.take(tenant, perTenant)
  await running.take(tenant, perTenant)
  await redis.del(`surehook:limit:webhooks:streams:${tenant}`)
  const next = replica(300)
  const isFull = async () => {
    const slot = await next.take(tenant, perTenant)
    slot?.[Symbol.dispose]()
    return slot === null
  }
  await eventually(isFull, 'the renewed slots')
})

it('opens streams while Redis is away', async () => {
  const alone = replica(30_000, () => null)
  for (let n = 0; n <= perTenant; n++) expect(await alone.take(tenant, perTenant)).not.toBeNull()
})
