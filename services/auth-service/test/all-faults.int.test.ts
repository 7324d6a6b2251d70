import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { Violation } from '@surehook/contracts/problem'
import { type AccountWorld, newEmail, openAccountWorld } from './support/account-world.ts'
import { type AuthClient, callAdmin, password } from './support/auth-client.ts'

let accounts: AccountWorld
let client: AuthClient

beforeAll(async () => {
  accounts = await openAccountWorld()
})
beforeEach(async () => {
  client = await accounts.project({ emailVerification: false })
})
afterAll(async () => {
  await accounts?.[Symbol.asyncDispose]()
})

type Field = { name: string; path: string; args: object }

const overRest = async ({ path, args }: Field) =>
  (await client.send(`POST ${path}`, { body: args })).body.violations

async function overGraphQL({ name, args }: Field): Promise<Violation[] | undefined> {
  const written = Object.entries(args).map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
  const query = `mutation { ${name}(${written.join(', ')}) { __typename } }`
  const { body } = await client.send('POST graphql', { body: { query } })
  const { errors } = body as unknown as {
    errors?: { extensions: { violations: Violation[] } }[]
  }
  return errors?.[0]?.extensions.violations
}

const transports = [
  ['REST', overRest],
  ['GraphQL', overGraphQL],
] as const

const fieldsOf = (violations: readonly Violation[] | undefined) =>
  violations?.map(({ field }) => field).toSorted()

const noAddress = {
  field: 'email',
  message: 'must be an e-mail address, without quotes, comments and letters beyond ASCII',
  rule: 'invalid_format',
}

describe.each(transports)('over %s one answer names the faults of every field', (_name, ask) => {
  it('of a signup', async () => {
    const args = { email: 'ada', password: 'password', firstName: 'a\u0007', roleId: randomUUID() }
    expect(await ask({ name: 'signup', path: 'signup', args })).toEqual([
      noAddress,
      {
        field: 'firstName',
        message: 'must be text without control characters',
        rule: 'invalid_text',
      },
      {
        field: 'password',
        message: 'must not be one of the most common passwords',
        rule: 'common',
      },
      {
        field: 'roleId',
        message: 'is not a role that users may give themselves',
        rule: 'role_not_assignable',
      },
    ])
  })

  it('of a signup whose password is a part of the address', async () => {
    const args = { email: 'ada.lovelace@example.com', password: 'lovelace', roleId: 'x' }
    expect(await ask({ name: 'signup', path: 'signup', args })).toEqual([
      { field: 'roleId', message: 'must be a UUID', rule: 'invalid_format' },
      {
        field: 'password',
        message: 'must not be the e-mail address or a part of it',
        rule: 'contains_email',
      },
    ])
  })

  it('of a reset', async () => {
    const args = { email: 'ada', newPassword: 'short', code: '' }
    expect(await ask({ name: 'resetPassword', path: 'reset-password', args })).toEqual([
      noAddress,
      { field: 'code', message: 'must have at least 1 character', rule: 'too_short' },
      { field: 'newPassword', message: 'must have at least 8 characters', rule: 'too_short' },
    ])
  })

  it('and accepts null for an optional field', async () => {
    const nothing = { firstName: null, lastName: null, roleId: null }
    const args = { email: newEmail(), password, ...nothing }
    expect(await ask({ name: 'signup', path: 'signup', args })).toBeUndefined()
    const { user } = await client.login(args.email)
    expect([user.firstName, user.lastName, user.roles]).toEqual(['', '', []])
  })
})

describe('the administrator gets the faults of every field', () => {
  it('of a change of a user', async () => {
    const { user } = await client.newUser()
    const change = { firstName: 7, roles: ['ghost'] }
    const { body } = await client.admin(`PATCH /users/${user.id}`, change)
    expect(fieldsOf(body.violations)).toEqual(['firstName', 'roles.0'])
  })

  it('of settings, those of a group too', async () => {
    const auth = { accessTokenTtl: 0, lockout: { threshold: 0 }, defaultRole: 'ghost' }
    const { body } = await client.admin('PUT ', { auth })
    expect(fieldsOf(body.violations)).toEqual([
      'auth.accessTokenTtl',
      'auth.defaultRole',
      'auth.lockout.threshold',
    ])
  })

  it('of a management token', async () => {
    const body = { name: '', environments: ['nowhere'], expiresAt: '2001-01-01T00:00:00Z' }
    const path = `POST /${client.projectId}/management-tokens`
    const answer = await callAdmin(accounts.service.api, path, body)
    expect(fieldsOf(answer.body.violations)).toEqual(['environments.0', 'expiresAt', 'name'])
  })

  it('of an imported user, where null equals an absent field', async () => {
    const none = { firstName: null, lastName: null, roles: null, emailVerified: null }
    const passwordHash = `$2b$04$${'a'.repeat(53)}`
    const { body } = await client.admin('POST /users/import', {
      users: [
        { email: newEmail(), passwordHash, ...none },
        { email: 'nobody', passwordHash: 'plain', roles: ['ghost'] },
      ],
    })
    const { imported, failed } = body as unknown as {
      imported: number
      failed: { violations: Violation[] }[]
    }
    expect([imported, failed.map(({ violations }) => fieldsOf(violations))]).toEqual([
      1,
      [['email', 'passwordHash', 'roles.0']],
    ])
  })
})
