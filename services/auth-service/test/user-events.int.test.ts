import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { LoggedIn } from '@surehook/contracts/http/auth'
import type { ChangeLog } from '@surehook/testing/change-log'
import bcrypt from 'bcrypt'
import { type AccountWorld, newEmail, openAccountWorld } from './support/account-world.ts'
import { type AuthClient, outcome, password, type SignedUp } from './support/auth-client.ts'
import { followUserChanges } from './support/user-changes.ts'

let accounts: AccountWorld
let changes: ChangeLog
let client: AuthClient

beforeAll(async () => {
  accounts = await openAccountWorld()
  changes = await followUserChanges()
})
beforeEach(async () => {
  client = await accounts.project()
})
afterAll(async () => {
  await changes?.[Symbol.asyncDispose]()
  await accounts?.[Symbol.asyncDispose]()
})

const email = () => newEmail()
const post = <T = SignedUp>(path: string, body: unknown, headers: Record<string, string> = {}) =>
  client.send<T>(`POST ${path}`, { body, headers })

/**
 * Makes an event that surely comes after every event of the test, and returns the events before it.
 */
async function eventsUntilNow(): Promise<ReturnType<ChangeLog['of']>> {
  const marker = email()
  await post('signup', { email: marker, password })
  const sofar = () => changes.of(client.projectId)
  let count = 1
  while (!sofar().some(({ data }) => data['email'] === marker)) {
    await changes.until(client.projectId, count++)
  }
  return sofar().filter(({ data }) => data['email'] !== marker)
}

describe('the events of a user', () => {
  it('cover its whole life, with public fields only', async () => {
    const address = email()
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
    const headers = { 'x-request-id': 'the-signup', traceparent }
    const { body } = await post('signup', { email: address, password, firstName: 'Ada' }, headers)
    const { code } = await accounts.catcher.waitFor(address)
    await post('confirm-signup', { email: address, code })
    await client.admin('POST /roles', { name: 'writer' })
    await client.admin(`PATCH /users/${body.userId}`, { lastName: 'L.', roles: ['writer'] })
    await client.admin(`DELETE /users/${body.userId}`)

    const [created, confirmed, changed, deleted] = await changes.until(client.projectId, 4)
    const common = {
      projectId: client.projectId,
      environment: 'master',
      table: 'users',
      recordId: body.userId,
      source: 'auth-service',
    }
    const user = {
      id: body.userId,
      email: address,
      firstName: 'Ada',
      lastName: '',
      roles: [],
      emailVerified: false,
      disabled: false,
      attributes: {},
      createdAt: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      updatedAt: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
    }
    expect(created).toMatchObject({
      ...common,
      operation: 'INSERT',
      changedFields: [],
      requestId: 'the-signup',
      traceparent,
    })
    expect(created?.data).toEqual(user)
    expect(confirmed).toMatchObject({
      ...common,
      operation: 'UPDATE',
      changedFields: ['emailVerified'],
    })
    expect(confirmed?.data).toEqual({ ...user, emailVerified: true })
    expect(changed).toMatchObject({
      ...common,
      operation: 'UPDATE',
      changedFields: ['lastName', 'roles'],
    })
    const last = { ...user, emailVerified: true, lastName: 'L.', roles: ['writer'] }
    expect(changed?.data).toEqual(last)
    expect(deleted).toMatchObject({ ...common, operation: 'DELETE', changedFields: [] })
    expect(deleted?.data).toEqual(last)
    const times = [created, confirmed, changed, deleted].map((change) => change?.timestamp ?? '')
    expect(times).toEqual([...new Set(times)].toSorted())
    expect(new Set([created, confirmed, changed, deleted].map((change) => change?.id)).size).toBe(4)
  })

  it('are none when no public field changes', async () => {
    const address = email()
    const { body } = await post('signup', { email: address, password })
    const { code } = await accounts.catcher.waitFor(address)
    const { body: session } = await post<LoggedIn>('confirm-signup', { email: address, code })
    await changes.until(client.projectId, 2)

    await post('login', { email: address, password })
    await post('login', { email: address, password: 'wrong' })
    await post('refresh-token', { refreshToken: session.refreshToken })
    await post('recover-password', { email: address })
    const recovery = await accounts.catcher.waitFor(address, { count: 2 })
    const reset = { email: address, newPassword: 'a wholly new one 9', code: recovery.code }
    expect(outcome(await post('reset-password', reset))).toEqual([200])
    for (const same of [{}, { firstName: '', roles: [] }, { disabled: false, lastName: null }]) {
      expect((await client.admin(`PATCH /users/${body.userId}`, same)).status).toBe(200)
    }
    await client.admin(`POST /users/${body.userId}/logout`)
    await client.admin(`POST /users/${body.userId}/unlock`)
    await post('signup', { email: address, password })
    expect(await eventsUntilNow()).toHaveLength(2)
  })

  it('of an import are one per imported user, and none for its rehash', async () => {
    const passwordHash = await bcrypt.hash(password, 4)
    const users = Array.from({ length: 20 }, () => ({ email: email(), passwordHash }))
    await client.admin('POST /users/import', { users: [...users, { email: 'nobody' }, users[0]] })
    await post('login', { email: users[0]?.email, password })
    const events = await eventsUntilNow()
    expect(events.map(({ operation }) => operation)).toEqual(Array(20).fill('INSERT'))
    expect(events.map(({ data }) => data['email']).toSorted()).toEqual(
      users.map((user) => user.email).toSorted(),
    )
  })

  it('commit together with the change, or not at all', async () => {
    const address = email()
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => post('signup', { email: address, password })),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    const events = await eventsUntilNow()
    expect(events).toHaveLength(1)
  })
})
