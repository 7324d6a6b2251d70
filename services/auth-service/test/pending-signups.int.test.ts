import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { ChangeLog } from '@surehook/testing/change-log'
import { until } from '@surehook/testing/until'
import bcrypt from 'bcrypt'
import { expiredSignups } from '../src/accounts/signup/delete-expired-signups.ts'
import { type AccountWorld, newEmail, openAccountWorld } from './support/account-world.ts'
import { type AuthClient, outcome, password } from './support/auth-client.ts'
import { log } from './support/under-test.ts'
import { followUserChanges } from './support/user-changes.ts'

let accounts: AccountWorld
let changes: ChangeLog
let client: AuthClient
let email: string

beforeAll(async () => {
  accounts = await openAccountWorld()
  changes = await followUserChanges()
})
beforeEach(async () => {
  client = await accounts.project()
  email = newEmail()
})
afterAll(async () => {
  await changes?.[Symbol.asyncDispose]()
  await accounts?.[Symbol.asyncDispose]()
})

const own = 'the password of the owner 1'
const here = '198.18.1.1'
const elsewhere = '203.0.113.7'
const exists = [409, 'AUTH_EMAIL_EXISTS']
const wrongPassword = [401, 'AUTH_INVALID_CREDENTIALS']

const from = (address: string, path: string, body: object) =>
  client.send(`POST ${path}`, { body, headers: { 'x-forwarded-for': address } })
const signup = async (address: string, tried: string) =>
  outcome(await from(address, 'signup', { email, password: tried }))
const login = async (tried: string) =>
  outcome(await from(elsewhere, 'login', { email, password: tried }))
const mailedCode = async (count: number) =>
  (await accounts.catcher.waitFor(email, { count })).code ?? 'no code'
const confirm = async (count = 1) =>
  outcome(await from(elsewhere, 'confirm-signup', { email, code: await mailedCode(count) }))
const userId = async () => {
  const { rows } = await accounts.database.query<{ id: string }>(
    'select id from user_account where email = $1',
    [email],
  )
  return rows[0]?.id
}

describe('an address that two sign up with', () => {
  const passwordsAfterConfirmation = async () => [await login(password), await login(own)]

  it('keeps only the password that its owner resets', async () => {
    expect(await signup(here, password)).toEqual([201])
    expect(await signup(elsewhere, own)).toEqual(exists)
    expect(await confirm()).toEqual([200])
    expect(await passwordsAfterConfirmation()).toEqual([wrongPassword, wrongPassword])
    await from(elsewhere, 'recover-password', { email })
    const reset = { email, newPassword: own, code: await mailedCode(2) }
    expect(outcome(await from(elsewhere, 'reset-password', reset))).toEqual([200])
    expect(await passwordsAfterConfirmation()).toEqual([wrongPassword, [200]])
  })

  it('keeps none either if both sign up at once', async () => {
    const outcomes = await Promise.all([signup(here, password), signup(elsewhere, own)])
    expect(outcomes.toSorted()).toEqual([[201], exists])
    expect(await confirm()).toEqual([200])
    expect(await passwordsAfterConfirmation()).toEqual([wrongPassword, wrongPassword])
  })

  it.each([
    ['the same password', elsewhere, password],
    ['another one, from the same network', '198.18.1.254', own],
  ])('keeps its password when the second has %s', async (_what, address, tried) => {
    await signup(here, password)
    expect(await signup(address, tried)).toEqual(exists)
    expect(await confirm()).toEqual([200])
    expect(await login(password)).toEqual([200])
  })

  it('compares IPv6 networks by /48', async () => {
    await signup('2001:db8:1:2::3', password)
    expect(await signup('2001:db8:1:ffff::4', own)).toEqual(exists)
    expect(await confirm()).toEqual([200])
    expect(await login(password)).toEqual([200])
    email = newEmail()
    await signup('2001:db8:1:2::3', password)
    expect(await signup('2001:db8:2:2::3', own)).toEqual(exists)
    expect(await confirm()).toEqual([200])
    expect(await login(password)).toEqual(wrongPassword)
  })

  it('keeps its password once it is confirmed', async () => {
    await signup(here, password)
    expect(await confirm()).toEqual([200])
    expect(await signup(elsewhere, own)).toEqual(exists)
    expect(await login(password)).toEqual([200])
  })

  it('keeps no imported password either', async () => {
    const passwordHash = await bcrypt.hash(password, 4)
    const users = [{ email, passwordHash, emailVerified: false }]
    await client.admin('POST /users/import', { users })
    expect(await signup(here, own)).toEqual(exists)
    await from(here, 'resend-code', { email })
    expect(await confirm()).toEqual([200])
    expect(await login(password)).toEqual(wrongPassword)
  })

  it('keeps none when the administrator confirms it', async () => {
    await signup(here, password)
    await signup(elsewhere, own)
    const change = { emailVerified: true }
    expect((await client.admin(`PATCH /users/${await userId()}`, change)).status).toBe(200)
    expect(await passwordsAfterConfirmation()).toEqual([wrongPassword, wrongPassword])
  })
})

describe('the administrator', () => {
  it('confirms an address, or takes that back, which ends every session', async () => {
    await signup(here, password)
    const id = await userId()
    const patch = async (emailVerified: boolean) =>
      (await client.admin(`PATCH /users/${id}`, { emailVerified })).body
    expect(await patch(true)).toMatchObject({ emailVerified: true })
    const { accessToken, refreshToken } = await client.login(email)
    expect(await patch(false)).toMatchObject({ emailVerified: false })
    expect(await client.isActive(accessToken)).toBe(false)
    expect(outcome(await client.refresh(refreshToken))).toEqual([401, 'AUTH_TOKEN_INVALID'])
    expect(await login(password)).toEqual([403, 'AUTH_EMAIL_NOT_VERIFIED'])
    const events = await changes.until(client.projectId, 3)
    expect(events.map(({ operation, changedFields }) => [operation, changedFields])).toEqual([
      ['INSERT', []],
      ['UPDATE', ['emailVerified']],
      ['UPDATE', ['emailVerified']],
    ])
  })
})

describe('a redeemed recovery code', () => {
  it('confirms the address', async () => {
    await signup(here, password)
    await mailedCode(1)
    await from(here, 'recover-password', { email })
    const reset = { email, newPassword: own, code: await mailedCode(2) }
    expect(outcome(await from(here, 'reset-password', reset))).toEqual([200])
    const [, confirmed] = await changes.until(client.projectId, 2)
    expect(confirmed).toMatchObject({ operation: 'UPDATE', changedFields: ['emailVerified'] })
    expect(confirmed?.data).toMatchObject({ email, emailVerified: true })
  })
})

describe('an account that nobody confirms', () => {
  const age = (hours: number) =>
    accounts.database.query(
      `update pending_signup set signed_up_at = now() - $2 * interval '1 hour' where project_id = $1`,
      [client.projectId, hours],
    )
  const list = async () => {
    const { body } = await client.admin('GET /users')
    return (body as unknown as { users: { email: string }[] }).users.map((user) => user.email)
  }

  it('is deleted after a day, its deletion is published, and other accounts stay', async () => {
    const confirmed = email
    await signup(here, password)
    await confirm()
    email = newEmail()
    await signup(here, password)
    const imported = newEmail()
    const passwordHash = await bcrypt.hash(password, 4)
    const users = [{ email: imported, passwordHash, emailVerified: false }]
    await client.admin('POST /users/import', { users })
    await age(25)
    // The service deletes expired signups when it starts.
    await using _service = await accounts.startService()
    await until(async () => (await list()).length === 2, {
      what: 'the deletion',
      timeoutMs: 20_000,
    })
    expect((await list()).toSorted()).toEqual([confirmed, imported].toSorted())
    const published = await changes.until(client.projectId, 5)
    const deleted = published.filter(({ operation }) => operation === 'DELETE')
    expect(deleted.map(({ data }) => data['email'])).toEqual([email])
    expect(await signup(elsewhere, own)).toEqual([201])
  })

  it('stays for as long as the environment says', async () => {
    await signup(here, password)
    await age(25)
    const job = expiredSignups(log)
    await client.change({ unverifiedAccountTtl: 26 * 3600 })
    while (await job.run(accounts.database)) continue
    expect(await list()).toEqual([email])
    await client.change({ unverifiedAccountTtl: 60 })
    while (await job.run(accounts.database)) continue
    expect(await list()).toEqual([])
  })

  it('is deleted in the next batch, however many another environment has', async () => {
    const crowd = await accounts.project()
    await signup(here, password)
    await accounts.database.query(
      `with made as (
         insert into user_account (id, project_id, environment, email)
         select gen_random_uuid(), $1, 'master', n || '@crowd.example' from generate_series(1, 500) n
         returning id
       )
       insert into pending_signup (user_id, project_id, environment, signed_up_at)
       select id, $1, 'master', now() - interval '2 days' from made`,
      [crowd.projectId],
    )
    await age(25)
    expect(await expiredSignups(log).run(accounts.database)).toBe(true)
    expect(await list()).toEqual([])
  })
})
