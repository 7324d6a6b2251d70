import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { freePort } from '@surehook/scripts/lib/ports'
import { type MailCatcher, startMailCatcher } from '@surehook/scripts/mail/mail-catcher'
import { until } from '@surehook/testing/until'
import {
  type AccountWorld,
  newEmail,
  openAccountWorld,
  patientSmtpUrl,
} from './support/account-world.ts'
import {
  type AuthClient,
  openAuthClient,
  outcome,
  password,
  type SignedUp,
} from './support/auth-client.ts'
import type { Running } from './support/under-test.ts'

let accounts: AccountWorld
let client: AuthClient
let email: string

beforeAll(async () => {
  accounts = await openAccountWorld()
})
beforeEach(() => {
  email = newEmail()
})
afterAll(async () => {
  await accounts?.[Symbol.asyncDispose]()
})

const signup = (by = client) => by.send<SignedUp>('POST signup', { body: { email, password } })
const waiting = async (address = email) => {
  const { rows } = await accounts.database.query<{ attempts: number }>(
    'select attempts from mail_outbox where recipient = $1',
    [address],
  )
  return rows
}
const isEmpty = async () => (await waiting()).length === 0

describe('a mail', () => {
  beforeEach(async () => {
    client = await accounts.project()
  })

  it("has text and HTML and the installation's sender, and leaves nothing in the outbox", async () => {
    await signup()
    const mail = await accounts.catcher.waitFor(email)
    expect(mail).toMatchObject({
      from: { name: 'Test', address: 'no-reply@test.example' },
      subject: 'Confirm your e-mail address',
      code: expect.stringMatching(/^\d{6}$/),
    })
    expect(mail.text).toContain(mail.code)
    expect(mail.html).toContain(mail.code)
    expect(mail.raw).toMatch(/^auto-submitted: auto-generated\r?$/im)
    await until(isEmpty, { what: 'an empty outbox' })
  })

  it("follows the environment's settings", async () => {
    await client.change({
      mail: {
        locale: 'de',
        senderName: 'Lädchen',
        senderAddress: 'hallo@laden.example',
        recoverySubject: 'Neues Passwort für ☃',
      },
    })
    await signup()
    const confirmation = await accounts.catcher.waitFor(email)
    const sender = { name: 'Lädchen', address: 'hallo@laden.example' }
    expect(confirmation).toMatchObject({
      from: sender,
      subject: 'Bestätigen Sie Ihre E-Mail-Adresse',
    })
    await client.send('POST recover-password', { body: { email } })
    const recovery = await accounts.catcher.waitFor(email, { count: 2 })
    expect(recovery).toMatchObject({ from: sender, subject: 'Neues Passwort für ☃' })
  })

  it('comes once, however many instances send', async () => {
    await using twin = await accounts.startService()
    const other = await openAuthClient(twin.api, { projectId: client.projectId })
    await client.change({ emailVerification: true })
    const emails = Array.from({ length: 30 }, newEmail)
    await Promise.all(
      emails.map((address, i) =>
        (i % 2 === 0 ? client : other).send('POST signup', {
          body: { email: address, password },
          headers: { 'x-forwarded-for': `198.51.100.${i}` },
        }),
      ),
    )
    const isDone = async () => {
      const { rows } = await accounts.database.query('select from mail_outbox')
      return rows.length === 0
    }
    await until(isDone, { what: 'an empty outbox' })
    const arrived = accounts.catcher.mails.map(({ to }) => to).filter((to) => emails.includes(to))
    expect(arrived.toSorted()).toEqual(emails.toSorted())
  })

  it('does not come for a user who is deleted meanwhile', async () => {
    const { body } = await signup()
    await until(isEmpty, { what: 'an empty outbox' })
    await accounts.database.query(
      `insert into mail_outbox (id, project_id, environment, recipient, template, sealed_code, expires_at, next_attempt_at)
       values (gen_random_uuid(), $1, 'master', $2, 'recovery', '-', 'infinity', 'infinity')`,
      [client.projectId, email],
    )
    await client.admin(`DELETE /users/${body.userId}`)
    expect(await waiting()).toEqual([])
  })

  it('gets no extra header from a setting', async () => {
    const mail = { senderName: 'Shop\r\nBcc: everybody@example.com' }
    const { status, body } = await client.admin('PUT ', { auth: { mail } })
    expect([status, body.violations?.[0]?.field]).toEqual([400, 'auth.mail.senderName'])
  })
})

describe('a tenant with many mails', () => {
  // The world's own instance would otherwise send the mails of the tests' instances.
  beforeAll(async () => {
    await accounts.service[Symbol.asyncDispose]()
  })

  const signups = (by: AuthClient, emails: readonly string[]) =>
    Promise.all(
      emails.map((address, n) =>
        by.send('POST signup', {
          body: { email: address, password },
          headers: { 'x-forwarded-for': `198.51.${n}.1` },
        }),
      ),
    )

  it("does not delay others' mails while its own are refused", async () => {
    const silent = Promise.withResolvers<void>()
    const stuck = new Set(Array.from({ length: 30 }, newEmail))
    // At once: after its limit, the service gives up a mail that hangs and tries the next.
    let [asked, most] = [0, 0]
    await using catcher = await startMailCatcher({
      async accept(recipient, closed) {
        if (!stuck.has(recipient)) return
        asked += 1
        most = Math.max(most, asked)
        await Promise.race([silent.promise, closed])
        asked -= 1
      },
    })
    const mail = { smtpUrl: catcher.url, from: 'no-reply@test.example' }
    await using service = await accounts.world.startService({ mail })
    const settings = { emailVerification: true }
    const busy = await openAuthClient(service.api, { settings })
    const quiet = await openAuthClient(service.api, { settings })
    await signups(busy, [...stuck])
    await until(async () => asked >= 4, { what: 'its share of connections' })
    expect(outcome(await signup(quiet))).toEqual([201])
    await catcher.waitFor(email)
    expect(most).toBe(4)
    silent.resolve()
    await until(async () => catcher.mails.length >= 31, { what: 'all' })
  })

  it('takes turns with all others', async () => {
    const many = Array.from({ length: 60 }, newEmail)
    await using catcher = await startMailCatcher()
    const settings = { emailVerification: true }
    const dark = await accounts.world.startService()
    const busy = await openAuthClient(dark.api, { settings })
    await signups(busy, many)
    const others: string[] = []
    for (let n = 0; n < 12; n++) {
      email = newEmail()
      others.push(email)
      await signup(await openAuthClient(dark.api, { settings }))
    }
    await dark[Symbol.asyncDispose]()
    await accounts.database.query(
      `update mail_outbox set next_attempt_at = case when recipient = any($1) then now() - interval '1 minute' else now() end`,
      [many],
    )
    const mail = { smtpUrl: patientSmtpUrl(catcher.port), from: 'no-reply@test.example' }
    await using service = await accounts.world.startService({ mail })
    await until(async () => catcher.mails.length >= 72, { what: 'all' })
    expect(service.api).toMatch(/^http/)
    const arrived = catcher.mails.map(({ to }) => to)
    const lastOfOthers = Math.max(...others.map((address) => arrived.indexOf(address)))
    // One round of 13 tenants, and the mails already in progress.
    expect(lastOfOthers).toBeLessThan(30)
  })
})

describe('without its mail server', () => {
  let port: number
  let service: Running
  let dark: AuthClient
  let catcher: MailCatcher | undefined

  beforeEach(async () => {
    port = await freePort()
    service = await accounts.world.startService({
      mail: { smtpUrl: patientSmtpUrl(port), from: 'no-reply@test.example' },
    })
    dark = await openAuthClient(service.api, { settings: { emailVerification: true } })
  })
  afterEach(async () => {
    await service?.[Symbol.asyncDispose]()
    await catcher?.stop()
    catcher = undefined
  })

  const failedOnce = async () =>
    /surehook_auth_mails_total\{[^}]*outcome="failed"[^}]*\} [1-9]/.test(await metric(service))

  it('the service answers as usual and mails the newest code when the server is back', async () => {
    expect(outcome(await signup(dark))).toEqual([201])
    expect(outcome(await dark.send('POST resend-code', { body: { email } }))).toEqual([200])
    await until(failedOnce, { what: 'a failed attempt' })

    catcher = await startMailCatcher({ port })
    const mail = await catcher.waitFor(email)
    await until(isEmpty, { what: 'an empty outbox' })
    expect(catcher.mails.filter(({ to }) => to === email)).toHaveLength(1)
    const confirm = { body: { email, code: mail.code } }
    expect(outcome(await dark.send('POST confirm-signup', confirm))).toEqual([200])
    expect(await metric(service)).toMatch(
      /surehook_auth_mails_total\{[^}]*outcome="sent"[^}]*\} 1\n/,
    )
  })

  it('gives up when the code has expired', async () => {
    await signup(dark)
    await until(failedOnce, { what: 'a failed attempt' })
    await accounts.database.query(
      'update mail_outbox set expires_at = now() where recipient = $1',
      [email],
    )
    await until(isEmpty, { what: 'an empty outbox' })
    expect(await metric(service)).toMatch(
      /surehook_auth_mails_total\{[^}]*outcome="expired"[^}]*\} 1\n/,
    )
  })

  it('sends what another instance left behind', async () => {
    await signup(dark)
    await until(failedOnce, { what: 'a failed attempt' })
    await service[Symbol.asyncDispose]()
    await using successor = await accounts.startService()
    expect(successor.api).not.toBe(service.api)
    await accounts.catcher.waitFor(email)
  })

  it('gives up a mail whose recipient the server refuses for good, and no other', async () => {
    const refused: string[] = []
    catcher = await startMailCatcher({
      port,
      accept(recipient) {
        const times = refused.filter((one) => one === recipient).length
        refused.push(recipient)
        if (recipient === email)
          throw Object.assign(new Error('no such user'), { responseCode: 550 })
        if (times === 0) throw Object.assign(new Error('later'), { responseCode: 451 })
      },
    })
    await signup(dark)
    const second = newEmail()
    await dark.send('POST signup', { body: { email: second, password } })
    await catcher.waitFor(second)
    await until(isEmpty, { what: 'an empty outbox' })
    expect(refused.filter((one) => one === email)).toHaveLength(1)
    expect(await metric(service)).toMatch(
      /surehook_auth_mails_total\{[^}]*outcome="refused"[^}]*\} 1\n/,
    )
  })
})

const metric = async ({ internal }: Running) => (await fetch(`${internal}/metrics`)).text()
