import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, it } from '@jest/globals'
import { openRedis, type RedisClient } from '@surehook/service-kit/redis/client'
import { openRedisAs, type RedisAsUser } from '@surehook/testing/redis-user'
import { pino } from 'pino'
import { CircuitStore } from '../src/endpoint/circuit-store.ts'

const closed = { openUntil: 0, openSince: 0, place: null }
const failed = (failures: number) => ({ ...closed, failures })
const log = pino({ level: 'silent' })

let redis: RedisClient
let dispatcher: RedisAsUser
beforeEach(async () => {
  const url = process.env['TEST_REDIS_URL'] ?? ''
  redis = await openRedis({ url, log })
  dispatcher = await openRedisAs('webhook-dispatcher', url)
})
afterEach(async () => {
  await dispatcher[Symbol.asyncDispose]()
  redis.destroy()
})

const storeThatForgetsAfter = (forgetAfterMs: number) =>
  new CircuitStore(dispatcher.client, { forgetAfterMs, log })

it('keeps a count of failures for an hour after the last of them, if configured', async () => {
  const id = randomUUID()
  const store = storeThatForgetsAfter(3_600_000)
  for (const n of [1, 2, 3]) await store.recordFailure(id, failed(n))
  expect(await store.load(id)).toMatchObject({ failures: 3, ...closed })
  const leftMs = await redis.pTTL(`surehook:circuit:${id}`)
  expect(leftMs).toBeGreaterThan(0)
  expect(leftMs).toBeLessThanOrEqual(3_600_000)
})

it('forgets a count to which nothing is added', async () => {
  const id = randomUUID()
  const store = storeThatForgetsAfter(50)
  await store.recordFailure(id, failed(1))
  while ((await redis.exists(`surehook:circuit:${id}`)) === 1);
  expect(await store.load(id)).toMatchObject({ failures: 0, ...closed })
})

it('keeps since when and until when a circuit is open', async () => {
  const id = randomUUID()
  const store = storeThatForgetsAfter(3_600_000)
  const open = { failures: 0, openSince: 1_000, openUntil: 121_000, place: null }
  await store.recordFailure(id, open)
  expect(await store.load(id)).toMatchObject(open)
})

it('marks an opening whose event is published, and forgets it after the event of its end', async () => {
  const id = randomUUID()
  const store = storeThatForgetsAfter(3_600_000)
  const open = { failures: 0, openSince: 1_000, openUntil: 121_000, place: null }
  await store.recordFailure(id, open)
  await store.markPublished(id, 120_000)
  expect(await store.load(id)).toMatchObject({ publishedUntil: 0 })
  await store.markPublished(id, open.openUntil)
  expect(await store.load(id)).toMatchObject({ publishedUntil: open.openUntil })
  await store.forgetOpening(id, 120_000)
  expect(await redis.exists(`surehook:circuit:${id}`)).toBe(1)
  await store.forgetOpening(id, open.openUntil)
  expect(await redis.exists(`surehook:circuit:${id}`)).toBe(0)
})
