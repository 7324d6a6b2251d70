import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { type SessionRevocation, wholeSession } from '@surehook/contracts/events/session-revocation'
import { revocationsTopic } from '@surehook/contracts/topics'
import { createKafka } from '@surehook/kafka/client/client'
import { openTopicView, type TopicView } from '@surehook/kafka/views/topic-view'
import { openEventCodec } from '@surehook/schemas/codec'
import { openOwnStack } from '@surehook/scripts/containers/start-stack'
import type { Stack } from '@surehook/scripts/local-stack/stack'
import { openRedis, type RedisClient } from '@surehook/service-kit/redis/client'
import { until } from '@surehook/testing/until'
import { type AuthClient, openAuthClient, password } from './support/auth-client.ts'
import { sql } from './support/sql.ts'
import { log, openWorld, type Running, sharedStack, type World } from './support/under-test.ts'

// These tests stop Redis, so they use their own stack.
let stack: Stack & AsyncDisposable
let world: World
let service: Running
let client: AuthClient
let view: TopicView
let redis: RedisClient
const published = new Map<string, SessionRevocation[]>()

beforeAll(async () => {
  stack = await openOwnStack({ only: ['redis'] })
  world = await openWorld({ ...sharedStack(), redisUrl: stack.redisUrl })
  service = await world.startService()
  redis = await openRedis({ url: stack.redisUrl, log })
  const { kafkaBrokers, schemaRegistryUrl: registryUrl } = sharedStack()
  view = await openTopicView<SessionRevocation>({
    kafka: createKafka({ brokers: [kafkaBrokers], clientId: 'test', log }),
    codec: await openEventCodec({ registryUrl }),
    topics: [revocationsTopic],
    clientId: 'test',
    apply: (_topic, key, value) => {
      if (value !== null) published.set(key, [...(published.get(key) ?? []), value])
    },
    log,
  })
})
beforeEach(async () => {
  client = await openAuthClient(service.api)
  await client.admin('POST /roles', { name: 'writer' })
})
afterAll(async () => {
  redis?.destroy()
  await view?.[Symbol.asyncDispose]()
  await service?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
  await stack?.[Symbol.asyncDispose]()
})

const calls = [
  { what: 'a disabling', request: 'PATCH', body: { disabled: true }, repeated: 200 },
  { what: 'a change of roles', request: 'PATCH', body: { roles: ['writer'] }, repeated: 200 },
  { what: 'a forced logout', request: 'POST /logout', body: undefined, repeated: 204 },
  // A repeated deletion finds no user, and answers 404 once every verifier knows.
  { what: 'a deletion', request: 'DELETE', body: undefined, repeated: 404 },
] as const

async function withoutRedis(work: () => Promise<void>): Promise<void> {
  await stack.processes.redis?.kill('SIGSTOP')
  try {
    await work()
  } finally {
    await stack.processes.redis?.kill('SIGCONT')
  }
}

/** Restores the state of a revocation that Redis missed, before the copy loop has found it. */
async function missRedis(sid: string): Promise<string> {
  const key = `auth:revoked:${client.projectId}/master:${sid}`
  await redis.del(key)
  await sql(
    world,
    `update revocation set copied_at = null, revoked_at = now() + interval '1 hour'
      where session_id = $1`,
    [sid],
  )
  return key
}

const sidOf = async (token: string) => (await client.introspect(token)).body['sid'] as string

describe.each(calls)('$what that is repeated', ({ request, body, repeated }) => {
  const [method, path = ''] = request.split(' ')
  const call = (userId: string) => client.admin(`${method} /users/${userId}${path}`, body)

  it('after a 503 without Redis succeeds once every token is refused', async () => {
    const { user, accessToken } = await client.newUser()
    await withoutRedis(async () => {
      expect(outcomeOf(await call(user.id))).toEqual(unavailable)
    })
    const isAnswered = async () => (await call(user.id)).status !== 503
    await until(isAnswered, { what: 'the repeat' })
    expect(await client.isActive(accessToken)).toBe(false)
  })

  it('is written to Redis before it is answered', async () => {
    const { user, accessToken } = await client.newUser()
    const sid = await sidOf(accessToken)
    await call(user.id)
    const key = await missRedis(sid)
    expect(await redis.exists(key)).toBe(0)
    expect((await call(user.id)).status).toBe(repeated)
    expect(await redis.exists(key)).toBe(1)
  })

  it('is published to the topic before it is answered', async () => {
    const { user, accessToken } = await client.newUser()
    const sid = await sidOf(accessToken)
    await call(user.id)
    await view.barrier()
    const before = published.get(sid)?.length ?? 0
    expect(before).toBeGreaterThanOrEqual(1)
    expect((await call(user.id)).status).toBe(repeated)
    await view.barrier()
    const after = published.get(sid) ?? []
    expect(after).toHaveLength(before + 1)
    expect(after.at(-1)).toEqual(after[before - 1])
    expect([2, wholeSession]).toContain(after.at(-1)?.minGeneration)
  })
})

describe('a change of the password that is repeated', () => {
  async function changed() {
    const own = await client.newUser()
    const other = await client.login(own.email)
    const sid = await sidOf(other.accessToken)
    const body = { oldPassword: password, newPassword: 'a wholly new one 9' }
    const call = () => client.send('POST change-password', { body, token: own.accessToken })
    expect((await call()).status).toBe(200)
    return { other, sid, call }
  }

  it('is written to Redis before it is answered', async () => {
    const { other, sid, call } = await changed()
    const key = await missRedis(sid)
    expect(await client.isActive(other.accessToken)).toBe(true)
    expect((await call()).status).toBe(200)
    expect(await redis.exists(key)).toBe(1)
    expect(await client.isActive(other.accessToken)).toBe(false)
  })

  it('is published to the topic before it is answered', async () => {
    const { sid, call } = await changed()
    await view.barrier()
    expect(published.get(sid)).toHaveLength(1)
    expect((await call()).status).toBe(200)
    await view.barrier()
    const [first, second] = published.get(sid) ?? []
    expect(second).toEqual(first)
    expect(second?.minGeneration).toBe(wholeSession)
  })
})

const unavailable = [503, 'SERVICE_UNAVAILABLE']
const outcomeOf = (answer: { status: number; body: { error?: string } }) => [
  answer.status,
  answer.body.error,
]
