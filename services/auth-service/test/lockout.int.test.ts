import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { Answer } from '@surehook/scripts/client/call'
import { openRedis, type RedisClient } from '@surehook/service-kit/redis/client'
import bcrypt from 'bcrypt'
import { keyOf } from '../src/limits/account-key.ts'
import { createFindTenant } from '../src/platform/tenant.ts'
import { newEmail } from './support/account-world.ts'
import { outcome, password } from './support/auth-client.ts'
import { log, sharedStack } from './support/under-test.ts'
import { clientIp, type SentFrom, useTwoInstances } from './support/use-two-instances.ts'

const on = useTwoInstances()
const { post, signup, login } = on
let redis: RedisClient

beforeAll(async () => {
  redis = await openRedis({ url: sharedStack().redisUrl, log })
})
afterAll(() => redis?.destroy())

const wrongTimes = async (email: string, times: number, from?: SentFrom) => {
  const outcomes: unknown[] = []
  for (let i = 0; i < times; i++) outcomes.push(outcome(await login(email, `wrong ${i}`, from)))
  return outcomes
}
const invalid = [401, 'AUTH_INVALID_CREDENTIALS']
const locked = [423, 'AUTH_ACCOUNT_LOCKED']
const untilOf = ({ body }: Answer) => new Date(String(body['lockedUntil'])).getTime()

/** The clocks of Redis and of this process are those of one machine. */
function expectLockOf(seconds: number, answer: Answer, failuresFrom: number): void {
  expect(untilOf(answer)).toBeGreaterThanOrEqual(failuresFrom + seconds * 1_000)
  expect(untilOf(answer)).toBeLessThanOrEqual(Date.now() + seconds * 1_000)
}

/** Moves the account's failures and locks into the past, as if this time had passed. */
async function letPass(seconds: number, email: string): Promise<void> {
  const tenant = await createFindTenant(on.accounts.database)(on.client)
  const key = `auth:lockout:${keyOf(tenant, email)}`
  const earlier = (time = 0) => Math.max(0, time - seconds * 1_000)
  for (const [field, value] of Object.entries(await redis.hGetAll(key))) {
    const [failures, since, lockedUntil] = value.split(':').map(Number)
    await redis.hSet(key, field, [failures, earlier(since), earlier(lockedUntil)].join(':'))
  }
}

const addresses = (count: number) => Array.from({ length: count }, (_, i) => `203.0.${100 + i}.1`)
async function failAt(email: string, clients: string[]): Promise<void> {
  const answers = await Promise.all(clients.map((at) => login(email, 'wrong', { at })))
  for (const { status } of answers) expect([401, 423]).toContain(status)
}

describe('the lockout', () => {
  let email: string
  beforeEach(async () => {
    email = newEmail()
    await signup(email, { at: clientIp() })
  })

  it('locks after five failures, also for the right password, until the announced time', async () => {
    const from = Date.now()
    expect(await wrongTimes(email, 5)).toEqual(Array(5).fill(invalid))
    const refused = await login(email, password)
    expect(outcome(refused)).toEqual(locked)
    expectLockOf(900, refused, from)
    expect(refused.body['lockedUntil']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(outcome(await login(email, password, { by: on.other }))).toEqual(locked)
  })

  it('is not extended by further tries', async () => {
    await wrongTimes(email, 5)
    const first = untilOf(await login(email, 'wrong'))
    const later = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        login(email, 'wrong', { by: i % 2 === 0 ? on.client : on.other }),
      ),
    )
    expect(later.map(untilOf)).toEqual(Array(10).fill(first))
  })

  it('reveals at most five results of simultaneous tries', async () => {
    const answers = await Promise.all(
      Array.from({ length: 19 }, (_, i) =>
        login(email, `wrong ${i}`, { by: i % 2 === 0 ? on.client : on.other }),
      ),
    )
    const outcomes = answers.map((answer) => outcome(answer).join()).toSorted()
    expect(outcomes).toEqual([
      ...Array<string>(5).fill(invalid.join()),
      ...Array<string>(14).fill(locked.join()),
    ])
    const times = answers.filter(({ status }) => status === 423).map(untilOf)
    expect(new Set(times).size).toBe(1)
  })

  it('treats an unknown address alike', async () => {
    const nobody = newEmail()
    const from = Date.now()
    expect(await wrongTimes(nobody, 5)).toEqual(Array(5).fill(invalid))
    const refused = await login(nobody, password)
    expect(outcome(refused)).toEqual(locked)
    expectLockOf(900, refused, from)
  })

  it('applies to the network of the failures, unless the environment applies it to all', async () => {
    await wrongTimes(email, 5, { at: '203.0.113.7' })
    expect(outcome(await login(email, password, { at: '203.0.113.7' }))).toEqual(locked)
    expect(outcome(await login(email, password, { at: '203.0.113.8' }))).toEqual([200])

    await on.client.change({ lockout: { scope: 'account' } })
    await wrongTimes(email, 5, { at: '203.0.113.9' })
    expect(outcome(await login(email, password, { at: '203.0.113.10' }))).toEqual(locked)
  })

  it('starts counting again after a success', async () => {
    await wrongTimes(email, 4)
    expect(outcome(await login(email, password))).toEqual([200])
    expect(await wrongTimes(email, 4)).toEqual(Array(4).fill(invalid))
    expect(outcome(await login(email, password))).toEqual([200])
  })

  it('ends after the time that the environment sets, and then counts again', async () => {
    await on.client.change({ lockout: { threshold: 2, duration: 600 } })
    const from = Date.now()
    await wrongTimes(email, 2)
    const refused = await login(email, password)
    expect(outcome(refused)).toEqual(locked)
    expectLockOf(600, refused, from)
    await letPass(600, email)
    expect(await wrongTimes(email, 1)).toEqual([invalid])
    expect(outcome(await login(email, password))).toEqual([200])
  })

  it('holds for everybody after fifty failures in an hour from anywhere', async () => {
    await failAt(email, addresses(50))
    expect(outcome(await login(email, password, { at: '203.0.99.1' }))).toEqual(locked)
  })

  it.each([
    [9, [200]],
    [10, locked],
  ])('that is over comes back after ten new failures: after %i %j', async (failures, expected) => {
    await failAt(email, addresses(50))
    expect(outcome(await login(email, password, { at: '203.0.99.1' }))).toEqual(locked)
    await letPass(900, email)
    await failAt(email, addresses(failures))
    expect(outcome(await login(email, password, { at: '203.0.99.1' }))).toEqual(expected)
  })

  it.each(['client', 'account'] as const)(
    'by others holds for no client that the user has logged in from: scope %s',
    async (scope) => {
      expect(outcome(await login(email, password, { at: '203.0.99.1' }))).toEqual([200])
      await on.client.change({ lockout: { scope } })
      await failAt(email, addresses(50))
      expect(outcome(await login(email, password, { at: '203.0.99.2' }))).toEqual(locked)
      expect(outcome(await login(email, password, { at: '203.0.99.1', by: on.other }))).toEqual([
        200,
      ])
    },
  )

  it('of a known client counts its own failures alone, and they count for nobody else', async () => {
    await on.client.change({ lockout: { scope: 'account' } })
    expect(outcome(await login(email, password, { at: '203.0.99.1' }))).toEqual([200])
    expect(await wrongTimes(email, 5, { at: '203.0.99.1' })).toEqual(Array(5).fill(invalid))
    expect(outcome(await login(email, password, { at: '203.0.99.1' }))).toEqual(locked)
    expect(outcome(await login(email, password, { at: '203.0.99.2' }))).toEqual([200])
  })

  it('holds not for a client that set a new password by code', async () => {
    await post('recover-password', { email }, { at: '203.0.99.3' })
    const { code } = await on.accounts.catcher.waitFor(email, { codes: true })
    const reset = { email, newPassword: 'a wholly new one 9', code }
    expect(outcome(await post('reset-password', reset, { at: '203.0.99.3' }))).toEqual([200])
    await failAt(email, addresses(50))
    expect(outcome(await login(email, reset.newPassword, { at: '203.0.99.3' }))).toEqual([200])
  })

  it('is cleared by a new password', async () => {
    await wrongTimes(email, 5)
    await post('recover-password', { email })
    const { code } = await on.accounts.catcher.waitFor(email, { codes: true })
    const newPassword = 'a wholly new one 9'
    expect(outcome(await post('reset-password', { email, newPassword, code }))).toEqual([200])
    expect(outcome(await login(email, newPassword))).toEqual([200])
  })

  it('is cleared by the administrator', async () => {
    await wrongTimes(email, 5)
    const { body } = await on.client.admin(`GET /users?email=${email}`)
    const [user] = (body as unknown as { users: { id: string }[] }).users
    expect((await on.client.admin(`POST /users/${user?.id}/unlock`)).status).toBe(204)
    expect((await on.client.admin(`POST /users/${randomUUID()}/unlock`)).status).toBe(404)
    expect(outcome(await login(email, password))).toEqual([200])
  })

  it('from before the signup does not apply to the new account', async () => {
    const early = newEmail()
    await wrongTimes(early, 5)
    expect(outcome(await login(early, password))).toEqual(locked)
    expect(outcome(await signup(early))).toEqual([201])
    expect(outcome(await login(early, password))).toEqual([200])

    await on.client.change({ lockout: { scope: 'account' } })
    const guessed = newEmail()
    await wrongTimes(guessed, 4)
    expect(outcome(await signup(guessed))).toEqual([201])
    expect(await wrongTimes(guessed, 4)).toEqual(Array(4).fill(invalid))
    expect(outcome(await login(guessed, password, { at: clientIp() }))).toEqual([200])
  })

  it('is not ended by a signup that finds the address registered', async () => {
    await wrongTimes(email, 5)
    expect(outcome(await signup(email))).toEqual([409, 'AUTH_EMAIL_EXISTS'])
    expect(outcome(await login(email, password))).toEqual(locked)
  })

  it('never applies to an unconfirmed address', async () => {
    const unconfirmed = newEmail()
    await wrongTimes(unconfirmed, 5)
    const passwordHash = await bcrypt.hash(password, 4)
    const users = [{ email: unconfirmed, passwordHash, emailVerified: false }]
    await on.client.admin('POST /users/import', { users })
    const notVerified = [403, 'AUTH_EMAIL_NOT_VERIFIED']
    expect(outcome(await login(unconfirmed, password))).toEqual(notVerified)
    expect(await wrongTimes(unconfirmed, 7)).toEqual(Array(7).fill(notVerified))
  })

  it('is of one project alone', async () => {
    await wrongTimes(email, 5)
    const elsewhere = await on.accounts.project({ emailVerification: false })
    await signup(email, { by: elsewhere })
    expect(outcome(await login(email, password, { by: elsewhere }))).toEqual([200])
  })
})
