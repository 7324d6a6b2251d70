import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { LoggedIn } from '@surehook/contracts/http/auth'
import type { NewToken } from '@surehook/scripts/client/tenant'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import type { ChangeLog } from '@surehook/testing/change-log'
import bcrypt from 'bcrypt'
import { type AccountWorld, newEmail, openAccountWorld } from './support/account-world.ts'
import {
  type AuthClient,
  callAdmin,
  openAuthClient,
  password,
  type SignedUp,
} from './support/auth-client.ts'
import type { Running } from './support/under-test.ts'
import { followUserChanges } from './support/user-changes.ts'

let accounts: AccountWorld
let changes: ChangeLog
let loud: Running
let client: AuthClient
const lines: string[] = []

beforeAll(async () => {
  accounts = await openAccountWorld()
  changes = await followUserChanges()
  const log = createLogger('loud', 'trace', { write: (line) => void lines.push(line) })
  const mail = { smtpUrl: accounts.catcher.url, from: 'no-reply@test.example' }
  // The world's quiet instance would otherwise send the mails without logging them.
  await accounts.service[Symbol.asyncDispose]()
  loud = await accounts.world.startService({ mail }, log)
  client = await openAuthClient(loud.api, {
    settings: { emailVerification: true, encryptTokens: true },
  })
})
afterAll(async () => {
  await loud?.[Symbol.asyncDispose]()
  await changes?.[Symbol.asyncDispose]()
  await accounts?.[Symbol.asyncDispose]()
})

const post = <T = LoggedIn>(path: string, body: unknown, token?: string) =>
  client.send<T>(`POST ${path}`, { body, token })

/**
 * Calls everything that a user and an administrator can do, rightly and wrongly. Returns the values
 * that must stay secret.
 */
async function wholeLife(): Promise<Record<string, string>> {
  const email = newEmail()
  const newPassword = 'a wholly new one 9'
  const { body: signedUp } = await post<SignedUp>('signup', { email, password })
  const verification = (await accounts.catcher.waitFor(email)).code ?? ''
  await post('confirm-signup', { email, code: '000000' })
  const { body: first } = await post('confirm-signup', { email, code: verification })
  await post('login', { email, password: 'wrong password' })
  const { body: second } = await post('login', { email, password })
  const { body: third } = await post('refresh-token', { refreshToken: second.refreshToken })
  await post('refresh-token', { refreshToken: second.refreshToken })
  await post('recover-password', { email })
  const recovery = (await accounts.catcher.waitFor(email, { count: 2, codes: true })).code ?? ''
  await post('reset-password', { email, newPassword: password.slice(0, 7), code: recovery })
  await post('reset-password', { email, newPassword, code: recovery })
  const { body: fourth } = await post('login', { email, password: newPassword })
  await client.send('POST logout', { token: fourth.accessToken })
  await client.introspect(first.accessToken)
  const passwordHash = await bcrypt.hash(password, 4)
  await client.admin('POST /users/import', {
    users: [
      { email: newEmail(), passwordHash },
      { email, passwordHash: 'plain-secret-instead' },
    ],
  })
  await post('signup', { email: newEmail(), password, surprise: { password: newPassword } })
  await post('login', { email, password: 'wrong password', code: 'surplus-secret' })
  const stored = await accounts.database.query<{ password_hash: string; code_hash: string | null }>(
    'select password_hash from user_account where id = $1',
    [signedUp.userId],
  )
  await client.admin(`DELETE /users/${signedUp.userId}`)
  const tokens = `POST /${client.projectId}/management-tokens`
  const management = await callAdmin<NewToken>(loud.api, tokens, { name: 'test' })
  return {
    password,
    newPassword,
    wrongPassword: 'wrong password',
    surplus: 'surplus-secret',
    plain: 'plain-secret-instead',
    imported: passwordHash,
    stored: stored.rows[0]?.password_hash ?? '',
    verification,
    recovery,
    access1: first.accessToken,
    access2: second.accessToken,
    access3: third.accessToken,
    access4: fourth.accessToken,
    refresh1: first.refreshToken,
    refresh2: second.refreshToken,
    refresh3: third.refreshToken,
    refresh4: fourth.refreshToken,
    management: management.body.token,
  }
}

describe('what the service puts out', () => {
  it('has no password, hash, code or token in any log line, event or metric', async () => {
    const secrets = await wholeLife()
    for (const [name, secret] of Object.entries(secrets)) {
      expect([name, secret.length]).toEqual([name, expect.any(Number)])
      expect([name, secret.length >= 6]).toEqual([name, true])
    }
    // The INSERT, UPDATE and DELETE of the user, and the INSERT of the imported one.
    const events = await changes.until(client.projectId, 4)
    const metrics = await (await fetch(`${loud.internal}/metrics`)).text()
    const text = lines.join('')
    // Proves that the searched output is not empty.
    expect(text).toContain('mail.sent')
    expect(text).toContain('"operation":"resetPassword"')
    expect(metrics).toMatch(/surehook_auth_operations_total\{[^}]*operation="login"/)

    const output = { log: text, events: JSON.stringify(events), metrics }
    for (const [where, said] of Object.entries(output)) {
      for (const [name, secret] of Object.entries(secrets)) {
        // Six digits may occur inside any number, so a code is searched as a separate word.
        const found = /^\d{6}$/.test(secret)
          ? new RegExp(`(?<![0-9a-f.-])${secret}(?![0-9a-f-])`).test(said)
          : said.includes(secret)
        expect([where, name, found]).toEqual([where, name, false])
      }
    }
  })
})
