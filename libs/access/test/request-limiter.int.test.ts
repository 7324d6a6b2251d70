import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { type Bucket, decideTake } from '@surehook/access/limits/bucket'
import { takeFromRedis } from '@surehook/access/limits/redis-buckets'
import { createRequestLimiter } from '@surehook/access/limits/request-limiter'
import { openRedis, type RedisClient } from '@surehook/service-kit/redis/client'
import { createServiceMetrics } from '@surehook/service-kit/telemetry/metrics'
import { silent } from '@surehook/testing/database'
import { openRedisAs } from '@surehook/testing/redis-user'
import { TcpProxy } from '@surehook/testing/tcp-proxy'
import { until } from '@surehook/testing/until'

let proxy: TcpProxy
let url: string
const clients: RedisClient[] = []

beforeEach(async () => {
  const real = process.env['TEST_REDIS_URL']
  if (real === undefined) throw new Error('TEST_REDIS_URL is not set')
  proxy = await TcpProxy.openTo(real)
  url = proxy.urlOf(real)
})

afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy()
  await proxy[Symbol.asyncDispose]()
})

async function open(): Promise<RedisClient> {
  const client = await openRedis({ url, log: silent })
  clients.push(client)
  return client
}

/** A limiter as each replica has one. By default, a busy machine does not look like a slow Redis. */
async function openReplica(longestWaitMs = 5_000) {
  const client = await open()
  const metrics = createServiceMetrics('test')
  let takes = 0
  const redis = {
    eval: (...args: Parameters<RedisClient['eval']>) => {
      takes++
      return client.eval(...args)
    },
  }
  const limiter = createRequestLimiter({ redis: () => redis, metrics, log: silent, longestWaitMs })
  return {
    takes: () => takes,
    async localTakes() {
      const { values } = await metrics
        .counter({
          name: 'surehook_rate_limit_leases_total',
          help: '',
        })
        .get()
      return values.find(({ labels }) => 'place' in labels && labels.place === 'local')?.value
    },
    /** Resolves with whether the request was admitted. */
    async ask(buckets: readonly Bucket[], cost = 1): Promise<boolean> {
      const caller = buckets.map(({ key }) => key).join()
      try {
        await limiter.spend({ caller, buckets: () => buckets, cost, onHeaders: () => {} })
        return true
      } catch (err) {
        expect(err).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' })
        return false
      }
    },
  }
}

type Replica = Awaited<ReturnType<typeof openReplica>>

function bucketsOf(project: string, token: string, limit: { perSecond: number; burst: number }) {
  const key = `surehook:limit:test:${project}`
  return [
    { name: 'project', key, ...limit },
    { name: 'token', key: `${key}/${token}`, ...limit },
  ]
}

/**
 * Asks from all replicas at once until so many requests are admitted. Resolves with their number
 * and the seconds that it took.
 */
async function askAll(replicas: readonly Replica[], buckets: readonly Bucket[], enough: number) {
  const startedAt = performance.now()
  let admitted = 0
  await Promise.all(
    replicas.map(async ({ ask }) => {
      while (admitted < enough) {
        const answers = await Promise.all([1, 2, 3, 4].map(() => ask(buckets)))
        admitted += answers.filter(Boolean).length
        await new Promise((resolve) => setImmediate(resolve))
      }
    }),
  )
  return { admitted, seconds: secondsSince(startedAt) }
}

const secondsSince = (startedAt: number) => (performance.now() - startedAt) / 1_000

it('two replicas admit the limit together, and not more than a second of it beyond', async () => {
  const replicas = [await openReplica(), await openReplica()]
  const limit = { perSecond: 200, burst: 400 }
  // The buckets fill again after the burst.
  const { admitted, seconds } = await askAll(replicas, bucketsOf(randomUUID(), 't', limit), 600)
  expect(admitted).toBeLessThanOrEqual(400 + 200 * (seconds + 1))
})

it('a limit far above the rate costs a few round trips a second', async () => {
  const replica = await openReplica()
  const buckets = bucketsOf(randomUUID(), 't', { perSecond: 1_000_000, burst: 10_000_000 })
  const { seconds } = await askAll([replica], buckets, 10_000)
  expect(replica.takes()).toBeLessThan(15 + 25 * seconds)
})

it('another project and another token are not concerned', async () => {
  const replica = await openReplica()
  const project = randomUUID()
  const limit = { perSecond: 0.001, burst: 10 }
  const spent = bucketsOf(project, 'one', limit)
  // The project has room for both tokens.
  const wide = (token: string) =>
    bucketsOf(project, token, limit).map((bucket) =>
      bucket.name === 'project' ? { ...bucket, burst: 1_000 } : bucket,
    )
  for (let n = 0; n < 30; n++) await replica.ask(wide('one'))
  expect(await replica.ask(wide('one'))).toBe(false)
  expect(await replica.ask(wide('two'))).toBe(true)
  for (let n = 0; n < 30; n++) await replica.ask(spent)
  expect(await replica.ask(spent)).toBe(false)
  expect(await replica.ask(bucketsOf(randomUUID(), 'one', limit))).toBe(true)
})

describe('without Redis', () => {
  it('each replica keeps the limit alone, and all share it again afterwards', async () => {
    const replica = await openReplica()
    const buckets = bucketsOf(randomUUID(), 't', { perSecond: 1, burst: 20 })
    proxy.set({ kind: 'reset' })
    await until(async () => !clients[0]?.isReady, { what: 'the loss' })
    const startedAt = performance.now()
    const answers = []
    for (let n = 0; n < 40; n++) answers.push(await replica.ask(buckets))
    const admitted = answers.filter(Boolean).length
    expect(admitted).toBeGreaterThanOrEqual(20)
    expect(admitted).toBeLessThanOrEqual(20 + 2 + secondsSince(startedAt))
    expect(await replica.localTakes()).toBeGreaterThan(0)

    proxy.set({ kind: 'pass' })
    const isShared = async () => {
      const before = replica.takes()
      const local = await replica.localTakes()
      await replica.ask(bucketsOf(randomUUID(), 't', { perSecond: 1, burst: 20 }))
      return replica.takes() > before && (await replica.localTakes()) === local
    }
    await until(isShared, { what: 'Redis again' })
  })

  it('that hangs, no request waits until the connection is given up', async () => {
    const replica = await openReplica(250)
    proxy.set({ kind: 'drop' })
    const buckets = bucketsOf(randomUUID(), 't', { perSecond: 1, burst: 20 })
    expect(await replica.ask(buckets)).toBe(true)
    expect(clients[0]?.isReady).toBe(true)
  })

  it('what was spent before stays spent', async () => {
    const replica = await openReplica()
    const buckets = bucketsOf(randomUUID(), 't', { perSecond: 1, burst: 20 })
    const startedAt = performance.now()
    for (let n = 0; n < 15; n++) expect(await replica.ask(buckets)).toBe(true)
    proxy.set({ kind: 'reset' })
    await until(async () => !clients[0]?.isReady, { what: 'the loss' })
    const answers = []
    for (let n = 0; n < 20; n++) answers.push(await replica.ask(buckets))
    expect(answers.filter(Boolean).length).toBeLessThanOrEqual(10 + secondsSince(startedAt))
  })

  it('that lost its keys, a full bucket begins', async () => {
    const client = await open()
    const buckets = bucketsOf(randomUUID(), 't', { perSecond: 1, burst: 20 })
    const take = { buckets, returned: 0, cost: 20, wanted: 20 }
    expect((await takeFromRedis(client, take)).granted).toBe(20)
    expect((await takeFromRedis(client, take)).granted).toBe(0)
    await client.del(buckets.map(({ key }) => key))
    expect((await takeFromRedis(client, take)).granted).toBe(20)
  })
})

it('the script decides like the process, and its keys expire', async () => {
  const client = await open()
  const buckets = bucketsOf(randomUUID(), 't', { perSecond: 1, burst: 100 })
  const take = { buckets, returned: 0, cost: 1, wanted: 50 }
  const startedAt = performance.now()
  expect(await takeFromRedis(client, take)).toEqual(decideTake(take, [100, 100]))
  const second = { ...take, cost: 89, returned: 1 }
  expect(await takeFromRedis(client, second)).toEqual(decideTake(second, [88, 88]))
  const refused = { ...take, cost: 40 }
  const { granted, waitsMs } = await takeFromRedis(client, refused)
  expect(granted).toBe(0)
  for (const ms of waitsMs) {
    expect(ms).toBeGreaterThan(39_000 - 1_000 * secondsSince(startedAt))
    expect(ms).toBeLessThanOrEqual(40_000)
  }
  for (const { key } of buckets) expect(await client.pTTL(key)).toBeGreaterThan(50_000)
})

it.each([
  ['data-api', 'data', 'webhooks'],
  ['webhook-api', 'webhooks', 'data'],
] as const)("the rights of %s suffice for its own limits, and not for others'", async (...of) => {
  const [service, own, other] = of
  await using redis = await openRedisAs(service, url)
  const takeOf = (api: string) => {
    const key = `surehook:limit:${api}:${randomUUID()}`
    const buckets = [{ name: 'project', key, perSecond: 1, burst: 8 }]
    return takeFromRedis(redis.client, { buckets, returned: 0, cost: 1, wanted: 1 })
  }
  expect(await takeOf(own)).toMatchObject({ granted: 1 })
  await expect(takeOf(other)).rejects.toThrow('NOPERM')
})
