import { createHash, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { ConsoleCode } from '@surehook/contracts/http/admin/console-codes'
import { type Fields, fieldsOf, send } from '@surehook/scripts/client/call'
import { createToken } from '@surehook/scripts/client/tenant'
import { openRedis, type RedisClient } from '@surehook/service-kit/redis/client'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import { openRedisAs, type RedisAsUser } from '@surehook/testing/redis-user'
import { createConsoleCodes } from '../src/console/console-codes.ts'
import { callAdmin, outcome } from './support/auth-client.ts'
import {
  adminToken,
  log,
  openWorld,
  type Running,
  sharedStack,
  type World,
} from './support/under-test.ts'

let world: World
let service: Running
let redis: RedisClient
/** Has only the rights of auth-service in a secured system. */
let secured: RedisAsUser
let project: string
let managed: { id: string; token: string }
const lines: string[] = []

beforeAll(async () => {
  world = await openWorld()
  const loud = createLogger('loud', 'trace', { write: (line) => void lines.push(line) })
  service = await world.startService({}, loud)
  redis = await openRedis({ url: sharedStack().redisUrl, log })
  secured = await openRedisAs('auth-service', sharedStack().redisUrl)
})
afterAll(async () => {
  await secured?.[Symbol.asyncDispose]()
  redis?.destroy()
  await service?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})
beforeEach(async () => {
  project = `p-${randomUUID()}`
  await call(`PUT /${project}/environments/master`, {})
  managed = await newToken()
})

const call = (request: string, body?: unknown) => callAdmin(service.api, request, body)
const newToken = (more: object = {}) =>
  createToken({ baseUrl: service.api, adminToken }, project, more)
const address = () => `198.51.${Math.trunc(Math.random() * 256)}.${Math.trunc(Math.random() * 256)}`

type Options = { token?: string | undefined; at?: string }
const create = (body: unknown, { token = managed.token, at = address() }: Options = {}) =>
  send<ConsoleCode>(service.api, 'POST /auth/console-codes', {
    body,
    headers: { authorization: `Bearer ${token}`, 'x-forwarded-for': at },
  })
const redeem = <T = Fields>(code: unknown, at = address()) =>
  send<T>(service.api, 'POST /auth/console-codes/redeem', {
    body: { code },
    headers: { 'x-forwarded-for': at },
  })
const codeOf = async (body: unknown, options?: Options) => {
  const answer = await create(body, options)
  expect(outcome(answer)).toEqual([201])
  return answer.body.code
}
const keyOf = (code: string) =>
  `auth:console-code:${createHash('sha256').update(code).digest('base64url')}`
const refused = [400, 'AUTH_INVALID_CODE']

describe('a one-time code', () => {
  it('opens the session of its management token once', async () => {
    const code = await codeOf({ project })
    const first = await redeem(code)
    expect([first.status, first.body]).toEqual([
      200,
      { kind: 'developer', project, environment: 'master', token: managed.token },
    ])
    const answers = [await redeem(code), await redeem('never-made')]
    expect(answers.map(outcome)).toEqual([refused, refused])
    expect(answers[0]?.text).toBe(answers[1]?.text)
  })

  it('opens a session of the operator that only reads, without the administration token', async () => {
    const code = await codeOf({}, { token: adminToken })
    const { body, text } = await redeem<{ token: string }>(code)
    expect(body).toMatchObject({ kind: 'operator', project: null, environment: null })
    expect(text).not.toContain(adminToken)
    const as = (request: string, json?: unknown) =>
      send(service.api, request, { body: json, headers: { authorization: `Bearer ${body.token}` } })
    const url = '/auth/admin/projects'
    expect(outcome(await as(`GET ${url}?limit=1`))).toEqual([200])
    expect(outcome(await as(`GET ${url}/${project}/environments/master/users`))).toEqual([200])
    const forbidden = [403, 'FORBIDDEN']
    expect(outcome(await as(`POST ${url}/${project}/management-tokens`, { name: 'x' }))).toEqual(
      forbidden,
    )
    expect(outcome(await as(`PUT ${url}/${project}/environments/master`, {}))).toEqual(forbidden)
    expect(outcome(await as(`DELETE ${url}/${project}`))).toEqual(forbidden)
    expect(outcome(await create({}, { token: body.token }))).toEqual([401, 'ADMIN_TOKEN_INVALID'])
  })

  it('is redeemed by one of many at once', async () => {
    const code = await codeOf({ project })
    const answers = await Promise.all(Array.from({ length: 8 }, () => redeem(code)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(7).fill(400)])
  })

  it('expires after 30 s, and ends with its first use', async () => {
    const from = Date.now()
    const { code, expiresAt } = (await create({ project })).body
    const answered = Date.now()
    expect(code).toMatch(/^[\w-]{43}$/)
    expect(Date.parse(expiresAt)).toBeGreaterThanOrEqual(from + 30_000)
    expect(Date.parse(expiresAt)).toBeLessThanOrEqual(answered + 30_000)
    const left = await redis.pTTL(keyOf(code))
    expect(left).toBeGreaterThanOrEqual(from + 30_000 - Date.now())
    expect(left).toBeLessThanOrEqual(30_000)
    await redeem(code)
    expect(await redis.exists(keyOf(code))).toBe(0)
  })

  it('reveals nothing in Redis or in the log, and cannot be read without itself', async () => {
    const code = await codeOf({ project })
    const stored = await redis.get(keyOf(code))
    expect(stored).toMatch(/^v1\./)
    expect(stored).not.toContain(managed.token)
    // Another code does not open what is stored under this one.
    const other = await codeOf({ project })
    await redis.set(keyOf(other), stored ?? '')
    expect(outcome(await redeem(other))).toEqual([500, 'INTERNAL_ERROR'])
    expect(outcome(await redeem(code))).toEqual([200])
    const logged = lines.join('')
    expect(logged).toContain('"operation":"createConsoleCode"')
    for (const secret of [code, other, managed.token]) expect(logged).not.toContain(secret)
  })

  it('needs no more of Redis than its user may do', async () => {
    const codes = createConsoleCodes(secured.client)
    const session = { kind: 'operator', project: null, environment: null, token: 't' } as const
    const { code } = await codes.create(session)
    expect([await codes.take(code), await codes.take(code)]).toEqual([session, null])
  })
})

describe('a code is refused', () => {
  it('when its token was revoked', async () => {
    const code = await codeOf({ project })
    await call(`DELETE /${project}/management-tokens/${managed.id}`)
    expect(outcome(await redeem(code))).toEqual(refused)
  })

  it('when its environment was deleted', async () => {
    await call(`PUT /${project}/environments/dev`, {})
    const code = await codeOf({ project, environment: 'dev' })
    await call(`DELETE /${project}/environments/dev`)
    expect(outcome(await redeem(code))).toEqual(refused)
  })

  it.each([
    ['code', undefined],
    ['code', ''],
    ['code', 1],
    ['code', 'x'.repeat(129)],
  ])('as a violation of %s: %j', async (field, code) => {
    const answer = await redeem(code)
    expect([...outcome(answer), fieldsOf(answer)]).toEqual([400, 'VALIDATION_ERROR', [field]])
  })

  it('after 30 wrong ones of a client, without a look at it', async () => {
    const at = address()
    for (let n = 0; n < 30; n++) await redeem('wrong', at)
    const code = await codeOf({ project })
    expect(outcome(await redeem(code, at))).toEqual([429, 'RATE_LIMIT_EXCEEDED'])
    expect(outcome(await redeem(code))).toEqual([200])
  })
})

describe('no code is made', () => {
  it.each([
    ['mt_of-nobody', 'MANAGEMENT_TOKEN_INVALID'],
    ['wrong', 'ADMIN_TOKEN_INVALID'],
  ])('for the token %s', async (token, error) => {
    expect(outcome(await create({ project }, { token }))).toEqual([401, error])
  })

  it('for another project, another environment or an unknown one', async () => {
    const { token } = await newToken({ environments: ['master'] })
    expect(outcome(await create({ project: 'another' }))).toEqual([403, 'FORBIDDEN'])
    const elsewhere = await create({ project, environment: 'dev' }, { token })
    expect(outcome(elsewhere)).toEqual([403, 'FORBIDDEN'])
    const unknown = await create({ project, environment: 'dev' })
    expect(outcome(unknown)).toEqual([404, 'ENVIRONMENT_NOT_FOUND'])
  })

  it.each([
    ['management', {}, ['project']],
    ['management', { surprise: 1 }, ['surprise']],
    ['management', { project: 'a b', environment: '' }, ['environment', 'project']],
    ['administration', { project: 'shop', environment: 'master' }, ['environment', 'project']],
    ['administration', { project: 'shop', surprise: 1 }, ['project', 'surprise']],
  ])('with a %s token and the body %j', async (kind, body, fields) => {
    const token = kind === 'administration' ? adminToken : managed.token
    const answer = await create(body, { token })
    expect([answer.status, fieldsOf(answer).toSorted()]).toEqual([400, fields])
  })

  it('above 20 a minute for one client', async () => {
    const at = address()
    const answers = await Promise.all(Array.from({ length: 22 }, () => create({ project }, { at })))
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(2)
  })

  it('above 20 wrong credentials a minute for one client, which keep no valid one from a code', async () => {
    const at = address()
    const wrong = { token: 'wrong', at }
    const answers = await Promise.all(Array.from({ length: 22 }, () => create({ project }, wrong)))
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(20)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(2)
    await codeOf({ project }, { at })
  })
})
