import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { until } from '@surehook/testing/until'
import { type AccountWorld, newEmail, openAccountWorld } from './support/account-world.ts'
import { type AuthClient, openAuthClient, outcome, password } from './support/auth-client.ts'

let accounts: AccountWorld
let client: AuthClient

beforeAll(async () => {
  accounts = await openAccountWorld()
})
beforeEach(async () => {
  client = await accounts.project({ emailVerification: false, lockout: { threshold: 2 } })
})
afterAll(async () => {
  await accounts?.[Symbol.asyncDispose]()
})

const newPassword = 'a wholly new one 9'
const wrong = [401, 'AUTH_INVALID_CREDENTIALS']
const mailsTo = (email: string) => accounts.catcher.mails.filter(({ to }) => to === email)
const subjectsTo = (email: string) => mailsTo(email).map(({ subject }) => subject)

/** Waits until earlier mails were sent: each tenant's mails go out in order. */
async function outboxIsEmpty() {
  const isEmpty = async () => {
    const { rows } = await accounts.database.query('select from mail_outbox')
    return rows.length === 0
  }
  await until(isEmpty, { what: 'an empty outbox' })
}

const login = (email: string, tried: string, by = client) =>
  by.send('POST login', { body: { email, password: tried } })
async function lock(email: string, by = client) {
  for (let n = 0; n < 2; n++) expect(outcome(await login(email, 'wrong one 1', by))).toEqual(wrong)
  expect(outcome(await login(email, password, by))).toEqual([423, 'AUTH_ACCOUNT_LOCKED'])
}

describe('the owner of an account hears', () => {
  it('of a new password, by a code or by the old one', async () => {
    const { email, accessToken: token } = await client.newUser()
    const change = { oldPassword: password, newPassword }
    await client.send('POST change-password', { body: change, token })
    await outboxIsEmpty()
    expect(subjectsTo(email)).toEqual(['Your password was changed'])
    await client.send('POST recover-password', { body: { email } })
    const { code } = await accounts.catcher.waitFor(email, { codes: true })
    const reset = { email, newPassword: 'yet another one 7', code }
    expect(outcome(await client.send('POST reset-password', { body: reset }))).toEqual([200])
    await accounts.catcher.waitFor(email, { count: 3 })
    expect(subjectsTo(email)).toEqual([
      'Your password was changed',
      'Your code for a new password',
      'Your password was changed',
    ])
  })

  it('of a lock, once an hour', async () => {
    const { email, user } = await client.newUser()
    await lock(email)
    await accounts.catcher.waitFor(email)
    await client.admin(`POST /users/${user.id}/unlock`)
    await lock(email)
    await outboxIsEmpty()
    expect(subjectsTo(email)).toEqual(['Too many failed logins'])
    await accounts.database.query(
      `update sent_notice set sent_at = now() - interval '61 minutes' where user_id = $1`,
      [user.id],
    )
    await client.admin(`POST /users/${user.id}/unlock`)
    await lock(email)
    await accounts.catcher.waitFor(email, { count: 2 })
  })

  it('of a refresh token that came twice', async () => {
    const { email, refreshToken } = await client.newUser()
    await client.refresh(refreshToken)
    const invalid = [401, 'AUTH_TOKEN_INVALID']
    expect(outcome(await client.refresh(refreshToken))).toEqual(invalid)
    await accounts.catcher.waitFor(email)
    expect(outcome(await client.refresh(refreshToken))).toEqual(invalid)
    await outboxIsEmpty()
    expect(subjectsTo(email)).toEqual(['You were logged out on one device'])
  })

  it('of nothing where the environment wants no notices', async () => {
    await client.change({ mail: { notices: false } })
    const { email, accessToken: token, refreshToken } = await client.newUser()
    await lock(email)
    const elsewhere = { 'x-forwarded-for': '203.0.113.5' }
    const change = { oldPassword: password, newPassword }
    const changed = await client.send('POST change-password', {
      body: change,
      token,
      headers: elsewhere,
    })
    expect(outcome(changed)).toEqual([200])
    await client.refresh(refreshToken)
    await client.refresh(refreshToken)
    await outboxIsEmpty()
    expect(subjectsTo(email)).toEqual([])
  })
})

describe('nobody else hears', () => {
  it('of a lock: neither who has no account, nor its namesake elsewhere, nor who is disabled', async () => {
    const stranger = newEmail()
    await lock(stranger)
    const { email, user } = await client.newUser()
    const other = await openAuthClient(accounts.service.api, {
      projectId: client.projectId,
      environment: 'other',
      settings: { lockout: { threshold: 2 } },
    })
    await lock(email, other)
    const disabled = await client.newUser()
    await client.admin(`PATCH /users/${disabled.user.id}`, { disabled: true })
    await lock(disabled.email)
    await outboxIsEmpty()
    expect([stranger, email, disabled.email].flatMap(subjectsTo)).toEqual([])
    const { rows } = await accounts.database.query(
      'select from sent_notice where user_id = any($1)',
      [[user.id, disabled.user.id]],
    )
    expect(rows).toEqual([])
  })

  it('and a notice that cannot be queued changes no answer', async () => {
    const { email } = await client.newUser()
    await accounts.database.query('alter table sent_notice rename to sent_notice_away')
    try {
      await lock(email)
    } finally {
      await accounts.database.query('alter table sent_notice_away rename to sent_notice')
    }
  })
})

describe('a mail to a user', () => {
  const signup = async (fields: object, acceptLanguage = '*') => {
    const email = newEmail()
    const answer = await client.send('POST signup', {
      body: { email, password, ...fields },
      headers: { 'accept-language': acceptLanguage },
    })
    expect(outcome(answer)).toEqual([201])
    return (await accounts.catcher.waitFor(email)).subject
  }
  const words = {
    en: 'Confirm your e-mail address',
    de: 'Bestätigen Sie Ihre E-Mail-Adresse',
    fr: 'Confirmez votre adresse e-mail',
    es: 'Confirma tu dirección de correo',
  }

  it('is in the language of the signup, else of the browser, else of the environment', async () => {
    await client.change({ emailVerification: true })
    expect(await signup({})).toBe(words.en)
    expect(await signup({ locale: 'fr-CA' })).toBe(words.fr)
    expect(await signup({ locale: null }, 'pt, es;q=0.8')).toBe(words.es)
    expect(await signup({ locale: 'fr' }, 'de')).toBe(words.fr)
    expect(await signup({ locale: 'pt' }, 'de-AT')).toBe(words.de)
    await client.change({ mail: { locale: 'de' } })
    expect(await signup({}, 'fr')).toBe(words.de)
    expect(await signup({ locale: 'es' }, 'fr')).toBe(words.es)
    const refused = await client.send('POST signup', {
      body: { email: newEmail(), password, locale: 'de_DE' },
    })
    expect(refused.body.violations?.map(({ field, rule }) => [field, rule])).toEqual([
      ['locale', 'invalid_format'],
    ])
  })

  it('keeps that language, in notices too', async () => {
    const email = newEmail()
    await client.send('POST signup', { body: { email, password, locale: 'es' } })
    await lock(email)
    expect((await accounts.catcher.waitFor(email)).subject).toBe(
      'Demasiados inicios de sesión fallidos',
    )
  })

  it('names the project, and has a link in the place of the code', async () => {
    await client.change({
      emailVerification: true,
      mail: {
        projectName: 'Bücher & Co',
        confirmUrl: 'https://shop.example/confirm?email={email}#{code}',
        resetUrl: 'http://localhost:3000/reset/{code}',
      },
    })
    const email = `${newEmail().split('@')[0]}+tag@example.com`
    await client.send('POST signup', { body: { email, password } })
    const mail = await accounts.catcher.waitFor(email)
    expect(mail.subject).toBe('Bücher & Co: Confirm your e-mail address')
    const link = /^https:\S+$/m.exec(mail.text)?.[0] ?? ''
    const { origin, pathname, searchParams, hash } = new URL(link)
    expect([origin, pathname, searchParams.get('email')]).toEqual([
      'https://shop.example',
      '/confirm',
      email,
    ])
    const confirm = { body: { email, code: hash.slice(1) } }
    expect(outcome(await client.send('POST confirm-signup', confirm))).toEqual([200])
    await client.send('POST recover-password', { body: { email } })
    const recovery = await accounts.catcher.waitFor(email, { count: 2 })
    expect(recovery.subject).toBe('Bücher & Co: Your link for a new password')
    expect(recovery.text).toMatch(/^http:\/\/localhost:3000\/reset\/\d{6}$/m)
  })

  it.each([
    ['confirmUrl', 'http://shop.example/{code}', 'invalid_format'],
    ['resetUrl', 'https://shop.example/', 'invalid_format'],
    ['resetUrl', 7, 'invalid_type'],
    ['projectName', 'Shop\r\nBcc: all@example.com', 'invalid_text'],
    ['locale', 'xx', 'invalid_value'],
    ['notices', 'no', 'invalid_type'],
  ])('takes no %s such as %j', async (field, value, rule) => {
    const { status, body } = await client.admin('PUT ', { auth: { mail: { [field]: value } } })
    expect([status, body.violations?.map((one) => [one.field, one.rule])]).toEqual([
      400,
      [[`auth.mail.${field}`, rule]],
    ])
  })
})
