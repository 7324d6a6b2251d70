import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { NotifySettings } from '@surehook/contracts/http/admin/notify-settings'
import { createCertificates } from '@surehook/scripts/receiver/certificates'
import { openReceiver, type Receiver } from '@surehook/scripts/receiver/receiver'
import { createSecretBox } from '@surehook/service-kit/crypto/secret-box'
import { until } from '@surehook/testing/until'
import { createChatTransport } from '../src/alerts/chat-transport.ts'
import { createKeyReEncryption } from '../src/keys/re-encrypt-keys.ts'
import { openOutbound } from '../src/outbound/guarded-https.ts'
import { type AccountWorld, newEmail, openAccountWorld } from './support/account-world.ts'
import { type AuthClient, openAuthClient } from './support/auth-client.ts'
import { encryptionKey } from './support/under-test.ts'

let accounts: AccountWorld
let receiver: Receiver
let client: AuthClient
/** A path at the receiver, which is the secret of a chat's URL. */
let path: string

beforeAll(async () => {
  const certificates = await createCertificates()
  receiver = await openReceiver(certificates)
  accounts = await openAccountWorld({
    outbound: { allowedNetworks: ['127.0.0.0/8', '::1/128'], extraCa: [certificates.ca] },
  })
})
afterAll(async () => {
  await accounts?.[Symbol.asyncDispose]()
  await receiver?.[Symbol.asyncDispose]()
})
beforeEach(async () => {
  client = await accounts.project()
  path = `/${randomUUID()}`
})

type EnvironmentReply = {
  notify: NotifySettings
  violations?: { field: string; message: string; rule: string }[]
}
const notify = (settings: object | null, of = client) =>
  of.admin<EnvironmentReply>('PUT ', { notify: settings })
const test = (of = client) => of.admin<{ recipients: number }>('POST /notify/test')
const failures = async () => (await client.admin<EnvironmentReply>('GET ')).body.notify.failures
const shownAt = (at: string) => `${new URL(receiver.url('/')).origin}/…${at.slice(-4)}`

describe('a test alert', () => {
  it('comes to every chat and address', async () => {
    const email = newEmail()
    await notify({ emails: [email], chats: [{ url: receiver.url(path), kind: 'discord' }] })
    const { status, body } = await test()
    expect([status, body]).toEqual([202, { recipients: 2 }])
    const [post] = await receiver.waitFor(path, 1)
    expect(post?.headers['content-type']).toBe('application/json')
    expect(JSON.parse(post?.body ?? '')).toMatchObject({
      content: expect.stringContaining('test alert'),
      allowed_mentions: { parse: [] },
    })
    expect((await accounts.catcher.waitFor(email)).subject).toContain('test alert')
  })

  it('goes to nobody without recipients, and to no unknown environment', async () => {
    expect((await test()).body).toEqual({ recipients: 0 })
    const deleted = await accounts.project()
    await deleted.admin('DELETE ')
    expect((await test(deleted)).status).toBe(404)
  })
})

describe('a chat that fails', () => {
  it('is tried again, and shown as failing only when it was given up', async () => {
    receiver.answer(path, (_post, nth) => ({ status: nth === 1 ? 503 : 404 }))
    await notify({ chats: [{ url: receiver.url(path) }] })
    await test()
    await receiver.waitFor(path, 2)
    await until(async () => (await failures()).length > 0, { what: 'the failure' })
    expect(await failures()).toEqual([
      { recipient: shownAt(path), at: expect.any(String), reason: 'The chat answered 404' },
    ])
    receiver.answer(path, () => ({ status: 204 }))
    await test()
    await until(async () => (await failures()).length === 0, { what: 'the end of the failure' })
  })

  it('delays no other recipient', async () => {
    const other = `/${randomUUID()}`
    receiver.answer(path, () => ({ status: 503 }))
    await notify({ chats: [{ url: receiver.url(path) }, { url: receiver.url(other) }] })
    await test()
    await receiver.waitFor(other, 1)
  })

  it('is not reached over a redirect', async () => {
    const hidden = `/${randomUUID()}`
    receiver.answer(path, () => ({ status: 307, headers: { location: receiver.url(hidden) } }))
    await notify({ chats: [{ url: receiver.url(path) }] })
    await test()
    await until(async () => (await failures()).length > 0, { what: 'the failure' })
    expect(receiver.receipts(hidden)).toEqual([])
  })
})

describe('the URL of a chat', () => {
  it('is never shown again, and stays where the shown one is sent', async () => {
    const url = receiver.url(path)
    const { body } = await notify({ chats: [{ url }] })
    expect(body.notify.chats).toEqual([{ url: shownAt(path), kind: 'slack' }])
    const kept = await notify({ chats: [{ url: shownAt(path), kind: 'teams' }] })
    expect(kept.body.notify.chats).toEqual([{ url: shownAt(path), kind: 'teams' }])
    await test()
    await receiver.waitFor(path, 1)
    const { rows } = await accounts.database.query<{ text: string }>(
      'select notify_overrides::text as text from environment where project_id = $1',
      [client.projectId],
    )
    expect(rows[0]?.text).not.toContain(path)
    const states = await accounts.world.platformState()
    const state = states.environments.get(`${client.projectId}/${client.environment}`)
    expect(state?.settings).toContain('digestInterval')
    expect(state?.settings).not.toContain(new URL(url).host)
  })

  it('is encrypted under a new key with the others', async () => {
    await notify({ chats: [{ url: receiver.url(path) }] })
    const newKey = Buffer.alloc(32, 'new')
    const reEncrypt = createKeyReEncryption(accounts.database, [newKey, encryptionKey])
    let page = await reEncrypt(null)
    while (page.next !== null) page = await reEncrypt(JSON.parse(page.next))
    const { rows } = await accounts.database.query<{ sealed: string }>(
      `select notify_overrides #>> '{chats,0,sealed}' as sealed from environment
        where project_id = $1`,
      [client.projectId],
    )
    const context = `notify/${client.projectId}/${client.environment}`
    expect(createSecretBox(newKey).open(rows[0]?.sealed ?? '', context)).toBe(receiver.url(path))
    // The service of this file has only the old key.
    const back = createKeyReEncryption(accounts.database, [encryptionKey, newKey])
    page = await back(null)
    while (page.next !== null) page = await back(JSON.parse(page.next))
  })

  it('of another environment does not stay here', async () => {
    await notify({ chats: [{ url: receiver.url(path) }] })
    const other = await openAuthClient(accounts.service.api, {
      projectId: client.projectId,
      environment: 'other',
    })
    const { status, body } = await notify({ chats: [{ url: shownAt(path) }] }, other)
    expect([status, body.violations?.map(({ field }) => field)]).toEqual([
      400,
      ['notify.chats.0.url'],
    ])
  })

  it.each([
    [[{ url: 'http://hooks.slack.com/x' }], 'notify.chats.0.url', 'invalid_format'],
    [[{ url: 'https://a:b@hooks.slack.com/x' }], 'notify.chats.0.url', 'invalid_format'],
    [[{ url: 'https://10.0.0.1/x' }], 'notify.chats.0.url', 'invalid_value'],
    [[{ url: 'https://[::ffff:169.254.169.254]/x' }], 'notify.chats.0.url', 'invalid_value'],
    [[{ url: 'https://hooks.slack.com/…abcd' }], 'notify.chats.0.url', 'invalid_value'],
    [[{ url: 'https://a.example/x', kind: 'irc' }], 'notify.chats.0.kind', 'invalid_value'],
    [[{ url: 'https://a.example/x' }, { url: 'https://a.example/y' }], 'notify.chats', 'repeated'],
    [
      Array.from({ length: 6 }, (_, n) => ({ url: `https://a${n}.example/` })),
      'notify.chats',
      'too_many',
    ],
  ])('is refused: %j', async (chats, field, rule) => {
    const { status, body } = await notify({ chats })
    expect([status, body.violations?.map((one) => [one.field, one.rule])]).toEqual([
      400,
      [[field, rule]],
    ])
    expect(JSON.stringify(body)).not.toContain('a:b@')
  })
})

it('a name that leads to a private address is refused when the alert is sent', async () => {
  using https = openOutbound({ allowedNetworks: [], extraCa: [] })
  const chats = createChatTransport(https)
  const post = { url: receiver.url(path), body: {}, tenant: 'p/master' }
  await expect(chats.post(post)).rejects.toThrow('not public')
  expect(receiver.receipts(path)).toEqual([])
})
