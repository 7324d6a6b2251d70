import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { type SessionRevocation, wholeSession } from '@surehook/contracts/events/session-revocation'
import { revocationsTopic } from '@surehook/contracts/topics'
import { createKafka } from '@surehook/kafka/client/client'
import { openTopicView } from '@surehook/kafka/views/topic-view'
import { openEventCodec } from '@surehook/schemas/codec'
import { openOwnStack } from '@surehook/scripts/containers/start-stack'
import type { Stack } from '@surehook/scripts/local-stack/stack'
import { openRedis, type RedisClient } from '@surehook/service-kit/redis/client'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import { until } from '@surehook/testing/until'
import { Client } from 'pg'
import { createBlacklist } from '../src/revocation/blacklist.ts'
import { type AuthClient, openAuthClient, outcome } from './support/auth-client.ts'
import { log, openWorld, type Running, sharedStack, type World } from './support/under-test.ts'

// These tests stop Redis, so they use their own stack.
let stack: Stack & AsyncDisposable
let redis: RedisClient
let world: World
let service: Running
let client: AuthClient

beforeAll(async () => {
  stack = await openOwnStack({ only: ['redis'] })
  world = await openWorld({ ...sharedStack(), redisUrl: stack.redisUrl })
  service = await world.startService()
  redis = await openRedis({ url: stack.redisUrl, log })
})
beforeEach(async () => {
  client = await openAuthClient(service.api)
})
afterAll(async () => {
  redis?.destroy()
  await service?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
  await stack?.[Symbol.asyncDispose]()
})

/** A user who has logged out, and one who has not. */
async function twoUsers() {
  const gone = await client.newUser()
  const here = await client.newUser()
  expect(outcome(await client.send('POST logout', { token: gone.accessToken }))).toEqual([200])
  return { gone, here }
}

const unavailable = [503, 'SERVICE_UNAVAILABLE']
const invalid = [401, 'AUTH_TOKEN_INVALID']

async function expectUnavailable(token: string, refreshToken: string): Promise<void> {
  for (const answer of [
    await client.send('POST logout', { token }),
    await client.introspect(token),
    await client.refresh(refreshToken),
  ]) {
    expect(outcome(answer)).toEqual(unavailable)
    expect(answer.headers.get('retry-after')).toMatch(/^\d+$/)
  }
  expect((await client.send('GET .well-known/jwks.json')).status).toBe(200)
}

/** Repeats the request until the answer is not 503. Every other answer on the way must be right. */
async function firstDecision(token: string): Promise<boolean> {
  let active: boolean | undefined
  const decided = async () => {
    const { status, body } = await client.introspect(token)
    if (status === 200) active = body.active
    else expect(status).toBe(503)
    return active !== undefined
  }
  await until(decided, { what: 'a decision' })
  return active === true
}

describe('Redis', () => {
  it('that may evict is logged at start, and one that may not is not', async () => {
    const logLine = async () => {
      const lines: string[] = []
      const loud = createLogger('loud', 'warn', { write: (line) => void lines.push(line) })
      await using _started = await world.startService({}, loud)
      return lines.filter((line) => line.includes('"redis.')).join('')
    }
    expect(await logLine()).toBe('')
    await redis.configSet('maxmemory-policy', 'allkeys-lru')
    const line = await logLine()
    await redis.configSet('maxmemory-policy', 'noeviction')
    expect(JSON.parse(line)).toMatchObject({ msg: 'redis.may.evict', policy: 'allkeys-lru' })
  })

  it('that was flushed has every revocation again before the next answer', async () => {
    const { gone, here } = await twoUsers()
    await redis.flushAll()
    expect(await client.isActive(gone.accessToken)).toBe(false)
    expect(await client.isActive(here.accessToken)).toBe(true)
    await redis.flushAll()
    expect(outcome(await client.send('POST logout', { token: gone.accessToken }))).toEqual(invalid)
    await redis.flushAll()
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => client.isActive(gone.accessToken)),
    )
    expect(answers).not.toContain(true)
  })

  it('that was killed causes 503; restarted empty, it is filled before the next answer', async () => {
    const { gone, here } = await twoUsers()
    await stack.processes.redis?.kill()
    await expectUnavailable(here.accessToken, here.refreshToken)
    await expectUnavailable(gone.accessToken, here.refreshToken)
    await stack.processes.redis?.restart()
    expect(await firstDecision(gone.accessToken)).toBe(false)
    expect(await client.isActive(here.accessToken)).toBe(true)
    expect(outcome(await client.refresh(here.refreshToken))).toEqual([200])
  })

  it('that restarts with an old snapshot is filled before the next answer', async () => {
    const users = [await client.newUser(), await client.newUser()]
    expect(await client.isActive(users[0]?.accessToken ?? '')).toBe(true)
    await redis.sendCommand(['SAVE'])
    const [gone, here] = users
    await client.send('POST logout', { token: gone?.accessToken })
    await stack.processes.redis?.kill()
    await stack.processes.redis?.restart()
    expect(await firstDecision(gone?.accessToken ?? '')).toBe(false)
    expect(await client.isActive(here?.accessToken ?? '')).toBe(true)
    await until(async () => redis.isReady, { what: 'our client' })
    await redis.flushAll()
    await redis.sendCommand(['SAVE'])
  })

  it('that hangs causes 503', async () => {
    const { here } = await twoUsers()
    await stack.processes.redis?.kill('SIGSTOP')
    expect(outcome(await client.introspect(here.accessToken))).toEqual(unavailable)
    await stack.processes.redis?.kill('SIGCONT')
    expect(await firstDecision(here.accessToken)).toBe(true)
  })
})

describe('a revocation', () => {
  it('reaches Redis even if its process died before the copy', async () => {
    const { accessToken } = await client.newUser()
    const { body } = await client.introspect(accessToken)
    const owner = new Client({ connectionString: world.database.databaseUrl })
    await owner.connect()
    await owner.query(
      `insert into revocation (session_id, project_id, environment, min_generation, expires_at)
       values ($1, $2, 'master', $3, now() + interval '10 minutes')`,
      [body['sid'], client.projectId, wholeSession],
    )
    await owner.end()
    const isRefused = async () => !(await client.isActive(accessToken))
    await until(isRefused, { what: 'the copy' })
  })

  it('is on its topic when the logout, or the reuse, is answered', async () => {
    const seen = new Map<string, SessionRevocation>()
    const { kafkaBrokers, schemaRegistryUrl: registryUrl } = sharedStack()
    await using view = await openTopicView<SessionRevocation>({
      kafka: createKafka({ brokers: [kafkaBrokers], clientId: 'test', log }),
      codec: await openEventCodec({ registryUrl }),
      topics: [revocationsTopic],
      clientId: 'test',
      apply: (_topic, key, value) => void (value && seen.set(key, value)),
      log,
    })
    await view.ready
    const first = await client.newUser()
    const second = await client.newUser()
    const sids = [
      (await client.introspect(first.accessToken)).body['sid'] as string,
      (await client.introspect(second.accessToken)).body['sid'] as string,
    ]
    await client.send('POST logout', { token: first.accessToken })
    await client.refresh(second.refreshToken)
    await client.refresh(second.refreshToken)
    await view.barrier()
    for (const sessionId of sids) {
      const revocation = seen.get(sessionId)
      expect(revocation).toEqual({
        sessionId,
        projectId: client.projectId,
        environment: 'master',
        minGeneration: wholeSession,
        expiresAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      })
      const lastsMs = Date.parse(revocation?.expiresAt ?? '') - Date.now()
      expect(lastsMs).toBeGreaterThan(900_000)
      expect(lastsMs).toBeLessThan(1_000_000)
    }
  })

  it('is copied however long a rebuild takes, and again after a flush during it', async () => {
    const tenant = { projectId: client.projectId, environment: 'master' }
    const expiresAt = new Date(Date.now() + 600_000)
    let flushAt = -1
    let pages = 0
    // Each page takes less than the lease; all pages together take longer.
    async function* living() {
      for (let page = 0; page < 5; page++) {
        await new Promise((resolve) => setTimeout(resolve, 450))
        if (pages++ === flushAt) await redis.flushAll()
        yield [{ ...tenant, sessionId: `page-${page}`, minGeneration: wholeSession, expiresAt }]
      }
    }
    const blacklist = createBlacklist({ redis, living, log, leaseMs: 2_000 })
    const isRevoked = (sid: string) => blacklist.isRevoked(tenant, { sid, gen: 1 })
    await redis.flushAll()
    expect([await isRevoked('page-0'), pages]).toEqual([true, 5])
    await redis.flushAll()
    flushAt = 5 + 3
    expect(await isRevoked('page-0')).toBe(true)
    // The flushed rebuild stopped at the page that noticed it, and a second one completed.
    expect(pages).toBe(5 + 4 + 5)
    await redis.flushAll()
  })

  it('is not weakened by an earlier one that arrives later', async () => {
    const blacklist = createBlacklist({ redis, living: async function* () {}, log })
    const tenant = { projectId: client.projectId, environment: 'master' }
    const sessionId = 'of-this-test'
    const add = (minGeneration: number, seconds: number) =>
      blacklist.add([
        { ...tenant, sessionId, minGeneration, expiresAt: new Date(Date.now() + seconds * 1_000) },
      ])
    await add(wholeSession, 600)
    await add(2, 5)
    expect(await blacklist.isRevoked(tenant, { sid: sessionId, gen: 1_000 })).toBe(true)
    const [key = ''] = await redis.keys(`*${client.projectId}/master:${sessionId}`)
    expect(await redis.pTTL(key)).toBeGreaterThan(500_000)
    expect(await blacklist.isRevoked(tenant, { sid: 'another', gen: 0 })).toBe(false)
  })
})
