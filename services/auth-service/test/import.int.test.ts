import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { UserAccount } from '@surehook/contracts/http/admin/users'
import { hash as argon2Hash, argon2id } from 'argon2'
import bcrypt from 'bcrypt'
import { type AccountWorld, newEmail, openAccountWorld } from './support/account-world.ts'
import { type AuthClient, outcome, password } from './support/auth-client.ts'

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

type ImportAnswer = {
  imported: number
  failed: { index: number; violations: { field: string; message: string }[] }[]
}

async function admin(request: string, body?: unknown) {
  const answer = await client.admin(request, body)
  return {
    status: answer.status,
    body: answer.body as unknown as ImportAnswer & { users: UserAccount[] },
  }
}
const problem = async (request: string, body?: unknown) => {
  const answer = await client.admin(request, body)
  return [answer.status, answer.body.error, answer.body.violations?.map(({ field }) => field)]
}
const login = (email: string, tried = password) =>
  client.send('POST login', { body: { email, password: tried } })

async function storedHash(email: string): Promise<string | undefined> {
  const { rows } = await accounts.database.query<{ password_hash: string }>(
    'select password_hash from user_account where email = $1',
    [email],
  )
  return rows[0]?.password_hash
}

describe('an import', () => {
  it('names at most 10,000 faults, and of each refused user as many', async () => {
    const roles = Array.from({ length: 100 }, (_, n) => `none-${n}`)
    const passwordHash = await bcrypt.hash(password, 4)
    const users = Array.from({ length: 200 }, () => ({ email: newEmail(), passwordHash, roles }))
    const { failed } = (await admin('POST /users/import', { users })).body
    expect(failed).toHaveLength(200)
    expect(new Set(failed.map(({ violations }) => violations.length))).toEqual(new Set([50]))
  })

  it('takes hashes of passwords as typed, and of bcrypt with 13 rounds', async () => {
    const typed = 'Größe ändern 7 Mal'.normalize('NFD')
    const users = [
      { email: newEmail(), passwordHash: await argon2Hash(typed, { type: argon2id }) },
      { email: newEmail(), passwordHash: await bcrypt.hash(typed, 13) },
    ]
    expect((await admin('POST /users/import', { users })).body.imported).toBe(2)
    for (const { email } of users) {
      expect(outcome(await login(email, `${typed}!`))).toEqual([401, 'AUTH_INVALID_CREDENTIALS'])
      for (const form of [typed, typed.normalize('NFC'), typed]) {
        expect(outcome(await login(email, form))).toEqual([200])
      }
      expect(await storedHash(email)).toMatch(/^\$argon2id\$v=19\$m=19456/)
    }
  })

  it('takes argon2id and bcrypt hashes, and makes them better at the first login', async () => {
    const hashes = {
      argon2id: await argon2Hash(password, { type: argon2id, memoryCost: 4096, timeCost: 1 }),
      bcrypt: await bcrypt.hash(password, 5),
      php: (await bcrypt.hash(password, 5)).replace('$2b$', '$2y$'),
    }
    const users = Object.entries(hashes).map(([name, passwordHash]) => ({
      email: `${name}-${newEmail()}`,
      passwordHash,
      firstName: name,
    }))
    const { status, body } = await admin('POST /users/import', { users })
    expect([status, body]).toEqual([200, { imported: 3, failed: [] }])
    for (const { email, passwordHash } of users) {
      expect(outcome(await login(email, 'wrong'))).toEqual([401, 'AUTH_INVALID_CREDENTIALS'])
      expect(await storedHash(email)).toBe(passwordHash)
      const logins = await Promise.all([login(email), login(email), login(email)])
      expect(logins.map(outcome)).toEqual([[200], [200], [200]])
      expect(await storedHash(email)).toMatch(/^\$argon2id\$v=19\$m=19456,p=1,t=2\$/)
      expect(outcome(await login(email))).toEqual([200])
    }
  })

  it('keeps a hash of bcrypt when the password is longer than bcrypt reads', async () => {
    const long = `${'a'.repeat(71)}é and more`
    const passwordHash = await bcrypt.hash(long, 4)
    const email = newEmail()
    await admin('POST /users/import', { users: [{ email, passwordHash }] })
    const other = `${long} that is not it`
    expect(outcome(await login(email, other))).toEqual([200])
    expect(await storedHash(email)).toBe(passwordHash)
    expect(outcome(await login(email, long))).toEqual([200])
    expect(await storedHash(email)).toBe(passwordHash)
  })

  it('of an unreadable hash is refused, and a stored unreadable one matches nothing', async () => {
    const good = await argon2Hash(password, { type: argon2id, memoryCost: 4096, timeCost: 1 })
    const broken = good.replace(/(m=[^$]*)/, '$1,')
    const email = newEmail()
    const user = { email, passwordHash: broken }
    const refused = await admin('POST /users/import', { users: [user] })
    expect([refused.body.imported, refused.body.failed[0]?.violations[0]?.field]).toEqual([
      0,
      'passwordHash',
    ])
    await admin('POST /users/import', { users: [{ ...user, passwordHash: good }] })
    await accounts.database.query('update user_account set password_hash = $2 where email = $1', [
      email,
      broken,
    ])
    expect(outcome(await login(email))).toEqual([401, 'AUTH_INVALID_CREDENTIALS'])
    await client.send('POST recover-password', { body: { email } })
    const { code } = await accounts.catcher.waitFor(email)
    const newPassword = 'a wholly new one 9'
    await client.send('POST reset-password', { body: { email, newPassword, code } })
    expect(outcome(await login(email, newPassword))).toEqual([200])
  })

  it('names the faults of each user and takes the others', async () => {
    await admin('POST /roles', { name: 'writer' })
    const passwordHash = await bcrypt.hash(password, 4)
    const [taken, good] = [(await client.newUser()).email, newEmail()]
    const { status, body } = await admin('POST /users/import', {
      users: [
        { email: good, passwordHash, roles: ['writer'], emailVerified: false },
        { email: taken.toUpperCase(), passwordHash },
        { email: ` ${good.toUpperCase()}`, passwordHash },
        { email: 'nobody', passwordHash: 'plain', roles: ['ghost'] },
        { email: newEmail(), passwordHash, password },
        { email: newEmail(), passwordHash: 'plain', roles: ['writer', 'ghost'] },
        null,
      ],
    })
    const faults = body.failed.map(({ index, violations }) => [
      index,
      violations.map(({ field }) => field),
    ])
    expect([status, body.imported, faults]).toEqual([
      200,
      1,
      [
        [1, ['email']],
        [2, ['email']],
        [3, ['email', 'passwordHash', 'roles.0']],
        [4, ['password']],
        [5, ['passwordHash', 'roles.1']],
        [6, ['body']],
      ],
    ])
    expect(outcome(await login(good))).toEqual([403, 'AUTH_EMAIL_NOT_VERIFIED'])
    expect((await admin('GET /users')).body.users).toHaveLength(2)
  })

  it('takes a thousand at once, each of them once', async () => {
    const passwordHash = await bcrypt.hash(password, 4)
    const users = Array.from({ length: 1000 }, () => ({ email: newEmail(), passwordHash }))
    const { body } = await admin('POST /users/import', { users })
    expect(body).toEqual({ imported: 1000, failed: [] })
    const again = await admin('POST /users/import', { users: users.slice(0, 10) })
    expect(again.body.imported).toBe(0)
    expect(again.body.failed).toHaveLength(10)
    expect(await problem('POST /users/import', { users: [] })).toEqual([
      400,
      'VALIDATION_ERROR',
      ['users'],
    ])
  })
})
