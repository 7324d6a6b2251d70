import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { tokenDigest } from '@surehook/access/admin-gate'
import { newOperatorSession } from '@surehook/access/operator-session'
import { circuitKey } from '@surehook/contracts/circuits'
import type {
  InstallationHealth,
  RunningJobs,
} from '@surehook/contracts/http/webhooks/installation'
import { endpointId } from '@surehook/contracts/ids'
import { aJob, anAttempt } from '@surehook/contracts/testing/samples'
import { openRedis, type RedisClient } from '@surehook/service-kit/redis/client'
import { createDeliveryDays } from '../src/history/rows/delivery-days.ts'
import { createDeliveryStore } from '../src/history/write/delivery-store.ts'
import { clientOf, validInput } from './support/client.ts'
import {
  log,
  openWorld,
  type Running,
  sharedStack,
  type Tenant,
  type World,
} from './support/under-test.ts'

const adminToken = 'token-of-the-administrator'
const url = 'https://receiver.example/hooks?key=hidden'

let world: World
let redis: RedisClient
const opened = new AsyncDisposableStack()
// Each test starts its own service, because answers are kept for some seconds.
const adminTokenDigests = [tokenDigest(adminToken)]

beforeAll(async () => {
  redis = await openRedis({ url: sharedStack().redisUrl ?? '', log })
  opened.defer(() => redis.destroy())
  world = opened.use(await openWorld())
})
afterAll(() => opened.disposeAsync())

async function read<T>(service: Running, path: string): Promise<T> {
  const tenant = { ...(await world.tenant()), token: adminToken }
  const { status, text } = await clientOf(service.api, tenant).call(`GET /${path}`)
  if (status !== 200) throw new Error(`${status} ${text}`)
  return JSON.parse(text) as T
}

async function subscribe(service: Running, tenant: Tenant): Promise<string> {
  const input = { ...validInput(tenant), url }
  return (await clientOf(service.api, tenant).call('POST', input)).body.id
}

it('shows the health of the dependencies, and circuits and dead letters of all tenants', async () => {
  await using service = await world.startService({ adminTokenDigests })
  const tenants = [await world.tenant(), await world.tenant()]
  const store = createDeliveryStore(world.historyPool, createDeliveryDays(world.historyPool))
  for (const tenant of tenants) {
    const { projectId, environment } = tenant
    const subscriptionId = await subscribe(service, tenant)
    await redis.hSet(circuitKey(endpointId({ projectId, environment, url })), {
      failures: 0,
      openUntil: String(Date.now() + 60_000),
    })
    await world.pool.query(
      'insert into failing_subscription values ($1, clock_timestamp(), clock_timestamp())',
      [subscriptionId],
    )
    const own = { deliveryId: randomUUID(), subscriptionId, projectId, environment }
    const at = { createdAt: Date.now(), at: Date.now() }
    await store.addTransitions([anAttempt({ ...own, ...at, status: 'dead_letter' })])
  }

  const health = await read<InstallationHealth>(service, '_health')
  const open = health.circuits?.open ?? []
  expect(open.map(({ projectId }) => projectId).toSorted()).toEqual(
    tenants.map(({ projectId }) => projectId).toSorted(),
  )
  expect(open[0]).toMatchObject({ url: 'https://receiver.example/hooks', environment: 'master' })
  expect(health.circuits).toMatchObject({ leftOut: 0, isComplete: true })
  expect(health.deliveries?.hour).toEqual({ attempts: 2, delivered: 0, deadLetter: 2 })
  expect(health.deliveries?.day).toEqual(health.deliveries?.hour)
  expect(health.slots).toContainEqual(
    expect.objectContaining({ slot: world.database.slot, active: true, status: 'reserved' }),
  )
  const groups = health.groups ?? []
  expect(groups.map(({ group }) => group)).toEqual([
    'webhook-matcher',
    'webhook-dispatcher',
    'webhook-api',
  ])
  // No matcher runs here, and each test database has a slot with a name of its own.
  expect(health.findings).toContainEqual(
    expect.objectContaining({ area: 'slots', level: 'wrong', advice: expect.any(String) }),
  )
  expect(health.findings).toContainEqual(expect.objectContaining({ area: 'topics', level: 'ok' }))
  expect(health.findings).toContainEqual(
    expect.objectContaining({
      area: 'redis',
      level: 'skipped',
      // In a secured system, too.
      says: expect.stringContaining('lacks the command INFO'),
    }),
  )
  expect(JSON.stringify(health)).not.toMatch(/hidden|:\/\/[^/]*@/)
})

it('answers without a dependency that is away, and says what to do', async () => {
  await using service = await world.startService({ adminTokenDigests, redis: null })
  const health = await read<InstallationHealth>(service, '_health')
  expect(health.circuits).toBeNull()
  expect(health.groups).not.toBeNull()
  expect(health.findings).toContainEqual({
    area: 'redis',
    level: 'skipped',
    says: 'REDIS_URL is not set for webhook-api',
  })
})

it('lists the running jobs of all tenants with what is left', async () => {
  await using service = await world.startService({ adminTokenDigests })
  const [tenant, other] = [await world.tenant(), await world.tenant()]
  const [replayed, recovered] = [await subscribe(service, tenant), await subscribe(service, other)]
  // Nobody works on them: the replay is taken, and recoveries wait for the rebuild.
  await world.pool.query(
    `insert into replay (id, project_id, environment, subscription_id, state, span_from, span_until,
       spans, scanned, deliveries, created_at, due_at)
     values ($1, $2, $3, $4, 'running', clock_timestamp() - interval '1 hour', clock_timestamp(),
       $5, 12, 5, clock_timestamp(), clock_timestamp() + interval '1 hour')`,
    [
      randomUUID(),
      ...[tenant.projectId, tenant.environment, replayed],
      JSON.stringify([
        { partition: 0, from: 10, to: 15 },
        { partition: 1, from: 0, to: 7 },
      ]),
    ],
  )
  await world.historyPool.query(
    `insert into history_rebuild (id, state, due_at, records, records_in_all)
     values ($1, 'reading', clock_timestamp() + interval '1 hour', 30, 40)`,
    [randomUUID()],
  )
  const { projectId, environment } = other
  const own = { subscriptionId: recovered, projectId, environment }
  const store = createDeliveryStore(world.historyPool, createDeliveryDays(world.historyPool))
  for (const deliveryId of [randomUUID(), randomUUID()]) {
    const at = { createdAt: Date.now() - 60_000, at: Date.now() }
    await store.add({
      jobs: [aJob({ ...own, deliveryId, createdAt: at.createdAt })],
      transitions: [anAttempt({ ...own, ...at, deliveryId, status: 'dead_letter' })],
    })
  }
  await world.pool.query(
    `insert into recovery (id, project_id, environment, subscription_id, since, until,
       requested_at, position_at, position_id, worked_at)
     values ($1, $2, $3, $4, now() - interval '1 hour', now() + interval '1 hour', now() + interval '1 hour',
       now() - interval '1 hour', '00000000-0000-0000-0000-000000000000', now())`,
    [randomUUID(), projectId, environment, recovered],
  )

  const jobs = await read<RunningJobs>(service, '_jobs')
  expect(jobs.rebuild).toMatchObject({ state: 'running', read: 30, toRead: 40 })
  expect(jobs.replays).toEqual([
    expect.objectContaining({
      ...{ projectId: tenant.projectId, webhookId: replayed, scanned: 12, deliveries: 5, left: 12 },
      url: 'https://receiver.example/hooks',
    }),
  ])
  expect(jobs.recoveries).toEqual([
    expect.objectContaining({ projectId, webhookId: recovered, left: 2 }),
  ])
  expect([jobs.replaysLeftOut, jobs.recoveriesLeftOut]).toEqual([0, 0])
})

it('admits a session of the operator to what reads, and to nothing else', async () => {
  await using service = await world.startService({ adminTokenDigests })
  const token = newOperatorSession(adminToken, tokenDigest(adminToken), Date.now())
  const client = clientOf(service.api, { ...(await world.tenant()), token })
  for (const path of ['_health', '_jobs', '_history/rebuild']) {
    expect([path, (await client.call(`GET /${path}`)).status]).toEqual([path, 200])
  }
  const { status, body } = await client.call('POST /_history/rebuild')
  expect([status, body.error]).toEqual([403, 'FORBIDDEN'])
})

it('admits only the administration token', async () => {
  await using service = await world.startService({ adminTokenDigests })
  const tenant = await world.tenant()
  for (const path of ['_health', '_jobs']) {
    const { status, body } = await clientOf(service.api, tenant).call(`GET /${path}`)
    expect([status, body.error]).toEqual([401, 'ADMIN_TOKEN_INVALID'])
  }
})
