import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { TcpProxy } from '@surehook/testing/tcp-proxy'
import { until } from '@surehook/testing/until'
import { type AccountWorld, newEmail, openAccountWorld } from './support/account-world.ts'
import { type AuthClient, openAuthClient, outcome, password } from './support/auth-client.ts'
import { type Running, sharedStack } from './support/under-test.ts'

let accounts: AccountWorld
let redis: TcpProxy
let postgres: TcpProxy
let service: Running
let client: AuthClient

beforeAll(async () => {
  accounts = await openAccountWorld()
  redis = await TcpProxy.openTo(sharedStack().redisUrl)
  const { databaseUrl } = accounts.world.database
  postgres = await TcpProxy.openTo(databaseUrl)
  service = await accounts.startService({
    redis: { url: redis.urlOf(sharedStack().redisUrl) },
    databaseUrl: postgres.urlOf(databaseUrl),
  })
  client = await openAuthClient(service.api, { settings: { emailVerification: true } })
})
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  await redis?.[Symbol.asyncDispose]()
  await postgres?.[Symbol.asyncDispose]()
  await accounts?.[Symbol.asyncDispose]()
})

const post = (path: string, body: unknown) => client.send(`POST ${path}`, { body })
const newPassword = 'a wholly new one 9'

/** Waits until the service's own answers show the outage or its end. */
async function waitForAnswers(isAway: boolean): Promise<void> {
  const isThere = async () =>
    ((await post('login', { email: newEmail(), password })).status === 503) === isAway
  await until(isThere, { what: isAway ? 'refusals' : 'answers' })
}

/** Retries as a client does after a 503: the relay recovers later than the other parts. */
async function postUntilAnswered(path: string, body: unknown) {
  let answer = await post(path, body)
  const isAnswered = async () => {
    if (answer.status !== 503) return true
    answer = await post(path, body)
    return false
  }
  await until(isAnswered, { what: `an answer to ${path}` })
  return answer
}

/** A user who awaits confirmation and one who requested a new password, with their codes. */
async function twoWithCodes() {
  const [fresh, forgetful] = [newEmail(), newEmail()]
  await post('signup', { email: fresh, password })
  await post('signup', { email: forgetful, password })
  const { code: confirmation } = await accounts.catcher.waitFor(forgetful)
  await post('confirm-signup', { email: forgetful, code: confirmation })
  await post('recover-password', { email: forgetful })
  const { code: recovery } = await accounts.catcher.waitFor(forgetful, { count: 2 })
  const { code: verification } = await accounts.catcher.waitFor(fresh)
  return {
    confirm: { email: fresh, code: verification },
    reset: { email: forgetful, newPassword, code: recovery },
  }
}

describe.each([
  ['Redis', () => redis],
  ['PostgreSQL', () => postgres],
])('without %s', (_, proxy) => {
  it('every operation is 503 with Retry-After; nothing is used up, and service resumes by itself', async () => {
    const { confirm, reset } = await twoWithCodes()
    const stranger = newEmail()
    proxy().set({ kind: 'reset' })
    await waitForAnswers(true)
    for (const [path, body] of [
      ['signup', { email: stranger, password }],
      ['login', { email: reset.email, password }],
      ['login', { email: stranger, password }],
      ['confirm-signup', confirm],
      ['resend-code', { email: confirm.email }],
      ['recover-password', { email: stranger }],
      ...Array.from({ length: 5 }, () => ['reset-password', reset] as const),
    ] as const) {
      const answer = await post(path, body)
      expect([path, ...outcome(answer)]).toEqual([path, 503, 'SERVICE_UNAVAILABLE'])
      expect(answer.headers.get('retry-after')).toMatch(/^\d+$/)
    }
    proxy().set({ kind: 'pass' })
    await waitForAnswers(false)
    expect(outcome(await postUntilAnswered('signup', { email: stranger, password }))).toEqual([201])
    expect(outcome(await postUntilAnswered('confirm-signup', confirm))).toEqual([200])
    expect(outcome(await postUntilAnswered('reset-password', reset))).toEqual([200])
    const login = { email: reset.email, password: newPassword }
    expect(outcome(await post('login', login))).toEqual([200])
    await accounts.catcher.waitFor(stranger)
  })
})
