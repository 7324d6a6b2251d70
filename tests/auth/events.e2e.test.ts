import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { expectStatus } from '@surehook/scripts/client/call'
import { createTenant } from '@surehook/scripts/client/tenant'
import { type AuthTenant, newEmail, password, wrong } from '../support/auth/auth-tenant.ts'
import { execute, transports } from '../support/auth/auth-transports.ts'
import { type AuthWorld, openAuthWorld } from '../support/auth/auth-world.ts'
import { payloadOf } from '../support/world.ts'

const newPassword = 'a wholly different phrase'
const path = '/users'

let world: AuthWorld
let tenant: AuthTenant
let email: string
let userId: string
/** Values that only their owner may know. */
const secrets = new Set([password, newPassword])

beforeAll(async () => {
  world = await openAuthWorld({ env: { LOG_LEVEL: 'trace' } })
  tenant = await world.tenant(rest, { auth: { encryptTokens: true } })
  const manager = await createTenant(world.system, { projectId: tenant.projectId })
  await manager.subscribe(world.receiver.url(path), { table: 'users' })
  email = newEmail()
  await useEverything()
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

const [[, rest]] = transports as readonly [(typeof transports)[0]]

/** Calls every operation, with success and with failure. */
async function useEverything(): Promise<void> {
  const keep = (tokens: { accessToken: string; refreshToken: string }) => {
    secrets.add(tokens.accessToken).add(tokens.refreshToken)
    return tokens
  }
  const keepCode = async () => {
    const code = await tenant.mailbox.nextCode(email)
    secrets.add(code)
    return code
  }
  userId = (await tenant.do('signup', { email, password, firstName: 'Ada' })).userId
  const code = await keepCode()
  await tenant.call('confirmSignup', { email, code: wrong(code) })
  const session = keep(await tenant.do('confirmSignup', { email, code }))
  keep(await tenant.login(email))
  await tenant.call('login', { email, password: newPassword })
  const { refreshToken } = session
  const renewed = keep(await tenant.do('refreshToken', { refreshToken }))
  await tenant.call('refreshToken', { refreshToken })
  await tenant.call('logout', {}, { accessToken: renewed.accessToken })
  await tenant.do('recoverPassword', { email })
  await tenant.do('resetPassword', { email, newPassword, code: await keepCode() })
  const last = keep(await tenant.login(email, { password: newPassword }))
  await tenant.do('logout', {}, { accessToken: last.accessToken })
  const headers = tenant.headers()
  const query = `mutation { login(email: "${email}", password: "${newPassword}") { accessToken refreshToken } }`
  const { data } = await execute(world.system.baseUrl, query, { headers })
  const login = data?.['login']
  if (login == null) throw new Error('no login over GraphQL')
  keep(login)
  const changed = await tenant.admin('PATCH', `/users/${userId}`, { lastName: 'Lovelace' })
  expectStatus(200, changed)
  expectStatus(204, await tenant.admin('DELETE', `/users/${userId}`))
}

describe('the life of a user', () => {
  it('is announced by webhooks with public fields only; a login is no event', async () => {
    const receipts = await world.receiver.waitFor(path, 4)
    const payloads = receipts.map(payloadOf)
    const delivered = payloads
      .toSorted((a, b) => Date.parse(a.timestamp) - Date.parse(b.timestamp))
      .map(({ event, changed_fields }) => [event, changed_fields])
    expect(delivered).toEqual([
      ['INSERT', []],
      ['UPDATE', ['emailVerified']],
      ['UPDATE', ['lastName']],
      ['DELETE', []],
    ])
    for (const { table, record } of payloads) {
      expect([table, Object.keys(record).toSorted()]).toEqual([
        'users',
        [
          'attributes',
          'createdAt',
          'disabled',
          'email',
          'emailVerified',
          'firstName',
          'id',
          'lastName',
          'roles',
          'updatedAt',
        ],
      ])
      expect(record).toMatchObject({ id: userId, email })
    }
  })

  it('leaves no password, code or token in an event, a log line or a metric', async () => {
    const services = Object.values(world.system.services).flat()
    const logs = services.map(({ logFile }) => readFile(logFile, 'utf8'))
    const metrics = services.map(async ({ internalUrl }) =>
      (await fetch(`${internalUrl}/metrics`)).text(),
    )
    const events = world.receiver.receipts(path).map(({ body }) => body)
    const texts = [...(await Promise.all([...logs, ...metrics])), ...events]
    expect(texts.join().length).toBeGreaterThan(10_000)
    const found = [...secrets].filter((secret) => texts.some((text) => holds(text, secret)))
    expect(found).toEqual([])
    expect(texts.some((text) => /\$argon2|\$2[aby]\$|BEGIN [A-Z ]*PRIVATE KEY/.test(text))).toBe(
      false,
    )
  })

  it('is counted', async () => {
    const [service] = world.system.services['auth-service']
    const metrics = await (await fetch(`${service?.internalUrl}/metrics`)).text()
    expect(metrics).toMatch(/^surehook_auth_\w+\{.*\} [1-9]/m)
    expect(metrics).not.toContain(tenant.projectId)
  })
})

/** Six digits may occur in a longer number or a time, so a code is searched as a separate word. */
const holds = (text: string, secret: string) =>
  /^\d{6}$/.test(secret)
    ? new RegExp(`(?<![\\d.a-f-])${secret}(?![\\d.a-f-])`).test(text)
    : text.includes(secret)
