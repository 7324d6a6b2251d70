import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { listUsers, UserAccount } from '@surehook/contracts/http/admin/users'
import type { ReplyOf } from '@surehook/contracts/operation'
import type { ChangeLog } from '@surehook/testing/change-log'
import { type AccountWorld, newEmail, openAccountWorld } from './support/account-world.ts'
import { type AuthClient, callAdmin, outcome } from './support/auth-client.ts'
import { followUserChanges } from './support/user-changes.ts'

let accounts: AccountWorld
let changes: ChangeLog
let client: AuthClient

beforeAll(async () => {
  accounts = await openAccountWorld()
  changes = await followUserChanges()
})
beforeEach(async () => {
  client = await accounts.project({ emailVerification: false })
})
afterAll(async () => {
  await changes?.[Symbol.asyncDispose]()
  await accounts?.[Symbol.asyncDispose]()
})

const attributes = { team: 'north', regions: ['eu', 'us'], level: 7, ratio: 1e-300, isLead: true }
const patch = (id: string, change: unknown) =>
  client.admin<UserAccount>(`PATCH /users/${id}`, change)

describe('the attributes of a user', () => {
  it('are shown as they were set, replaced as a whole, and cleared by null', async () => {
    const { user } = await client.newUser()
    const set = await patch(user.id, { attributes })
    expect([set.status, set.body.attributes]).toEqual([200, attributes])
    const kept = await patch(user.id, { firstName: 'Ada' })
    expect(kept.body).toMatchObject({ firstName: 'Ada', attributes })
    expect((await client.admin(`GET /users/${user.id}`)).body).toEqual(kept.body)
    const { users } = (await client.admin<ReplyOf<typeof listUsers>>('GET /users')).body
    expect(users).toEqual([kept.body])
    expect((await patch(user.id, { attributes: { team: 'south' } })).body.attributes).toEqual({
      team: 'south',
    })
    expect((await patch(user.id, { attributes: null })).body.attributes).toEqual({})
  })

  it('are set by a management token only with the right `users`', async () => {
    const { user } = await client.newUser()
    const place = `/${client.projectId}/environments/master/users/${user.id}`
    const byToken = async (right: string) => {
      const made = { name: right, rights: [right] }
      const path = `POST /${client.projectId}/management-tokens`
      const { token } = (await callAdmin(accounts.service.api, path, made)).body
      const authorization = `Bearer ${String(token)}`
      return callAdmin(accounts.service.api, `PATCH ${place}`, { attributes }, { authorization })
    }
    expect(outcome(await byToken('records'))).toEqual([403, 'FORBIDDEN'])
    expect((await byToken('users')).body).toMatchObject({ attributes })
  })

  it('with faults are refused, and each fault is named', async () => {
    const { user } = await client.newUser()
    const faulty = { team: null, id: 1, whole: 2 ** 53, list: ['x', {}] }
    const { status, body } = await client.admin(`PATCH /users/${user.id}`, {
      attributes: faulty,
      roles: ['ghost'],
    })
    expect([status, body.violations?.map(({ field, rule }) => [field, rule])]).toEqual([
      400,
      [
        ['attributes.team', 'invalid_type'],
        ['attributes.id', 'invalid_name'],
        ['attributes.whole', 'invalid_value'],
        ['attributes.list.1', 'invalid_type'],
        ['roles.0', 'unknown_role'],
      ],
    ])
  })

  it('come with an import, or are none', async () => {
    const passwordHash = `$2b$04$${'a'.repeat(53)}`
    const users = [
      { email: newEmail(), passwordHash, attributes },
      { email: newEmail(), passwordHash },
      { email: newEmail(), passwordHash, attributes: { team: {} } },
    ]
    const { body } = await client.admin('POST /users/import', { users })
    const fault = { field: 'attributes.team', rule: 'invalid_type', message: expect.any(String) }
    expect(body).toEqual({ imported: 2, failed: [{ index: 2, violations: [fault] }] })
    const listed = (await client.admin<ReplyOf<typeof listUsers>>('GET /users')).body.users
    const shown = users.map(({ email }) => listed.find((one) => one.email === email)?.attributes)
    expect(shown).toEqual([attributes, {}, undefined])
  })

  it('are in the events of the user, and an event only when they differ', async () => {
    const { user } = await client.newUser()
    await patch(user.id, { attributes })
    const reordered = Object.fromEntries(Object.entries(attributes).toReversed())
    await patch(user.id, { attributes: reordered })
    await patch(user.id, { attributes: {}, lastName: 'L.' })
    await client.admin(`DELETE /users/${user.id}`)
    const events = await changes.until(client.projectId, 4)
    expect(
      events.map(({ operation, changedFields, data }) => [
        ...[operation, changedFields, data['attributes']],
      ]),
    ).toEqual([
      ['INSERT', [], {}],
      ['UPDATE', ['attributes'], attributes],
      ['UPDATE', ['lastName', 'attributes'], {}],
      ['DELETE', [], {}],
    ])
  })

  it('end no session, and are in no token and no answer to the user', async () => {
    const { user, email, accessToken: token } = await client.newUser()
    await patch(user.id, { attributes })
    expect(await client.isActive(token)).toBe(true)
    const again = await client.login(email)
    const me = await client.send('GET me', { token })
    const claims = await client.introspect(again.accessToken)
    for (const shown of [again, me.body, claims.body]) {
      expect(JSON.stringify(shown)).not.toMatch(/attributes|north/)
    }
  })
})
