import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { WebhookAlert } from '@surehook/contracts/events/webhook-alert'
import { alertsTopic } from '@surehook/contracts/topics'
import { type EventProducer, openProducer } from '@surehook/kafka/producer/producer'
import type { EventCodec } from '@surehook/schemas/codec'
import { openClients } from '@surehook/testing/platform-service'
import { until } from '@surehook/testing/until'
import { type AccountWorld, newEmail, openAccountWorld } from './support/account-world.ts'
import type { AuthClient } from './support/auth-client.ts'
import { log, type Running, sharedStack } from './support/under-test.ts'

let accounts: AccountWorld
let twin: Running
let producer: EventProducer
let codec: EventCodec
let client: AuthClient
let email: string

beforeAll(async () => {
  accounts = await openAccountWorld()
  twin = await accounts.startService()
  const clients = await openClients(sharedStack())
  codec = clients.codec
  producer = await openProducer(clients.kafka, { log })
})
afterAll(async () => {
  await producer?.[Symbol.asyncDispose]()
  await twin?.[Symbol.asyncDispose]()
  await accounts?.[Symbol.asyncDispose]()
})
beforeEach(async () => {
  client = await accounts.project()
  email = newEmail()
})

const notify = (settings: object | null, of = client) =>
  of.admin<{ createdAt: string; notify: unknown; violations?: { field: string; rule: string }[] }>(
    'PUT ',
    { notify: settings },
  )
/** An alert about one webhook, of now unless `change` says otherwise. */
async function alertOf(change: Partial<WebhookAlert> = {}): Promise<WebhookAlert> {
  const { body } = await client.admin<{ createdAt: string }>('GET ')
  const { projectId, environment } = client
  const since = new Date().toISOString()
  return {
    ...{ id: randomUUID(), projectId, environment, environmentCreatedAt: body.createdAt },
    ...{ at: since, more: 0 },
    webhooks: [
      {
        ...{ webhookId: 'hook-1', name: 'Orders', recovered: false, since, circuitOpened: true },
        ...{ deadLetters: 0, paused: 0, deactivated: null },
      },
    ],
    ...change,
  }
}
const publish = (alert: WebhookAlert) =>
  producer.send([
    {
      topic: alertsTopic,
      key: `${alert.projectId}/${alert.environment}`,
      value: codec.alert.encode(alert),
    },
  ])
const mailsTo = (to: string) => accounts.catcher.mails.filter((mail) => mail.to === to)
/** The topic has one partition: the alerts before this one were read. */
async function earlierAreRead(): Promise<void> {
  const own = client
  client = await accounts.project()
  const last = newEmail()
  await notify({ emails: [last] })
  await publish(await alertOf())
  await accounts.catcher.waitFor(last)
  client = own
}

describe('an alert', () => {
  it('is mailed once to each address, however often it comes', async () => {
    const other = newEmail()
    await notify({ emails: [email, other] })
    const alert = await alertOf()
    await publish(alert)
    const mail = await accounts.catcher.waitFor(email)
    expect(mail.subject).toBe(`${client.projectId}/master: 1 webhook failing`)
    expect(mail.text).toContain('Orders (hook-1): failing since')
    expect(mail.text).toContain('https://auth.example/console/webhooks/hook-1?')
    await accounts.catcher.waitFor(other)
    await publish(alert)
    await earlierAreRead()
    expect([...mailsTo(email), ...mailsTo(other)]).toHaveLength(2)
    await publish(await alertOf())
    await accounts.catcher.waitFor(email, { count: 2 })
  })

  it('of an earlier environment of the name is dropped, and one without addresses', async () => {
    await notify({ emails: [email] })
    await publish(await alertOf({ environmentCreatedAt: '2026-01-01T00:00:00.000Z' }))
    await earlierAreRead()
    await notify(null)
    await publish(await alertOf())
    await earlierAreRead()
    expect(mailsTo(email)).toEqual([])
  })

  it('waits behind no unsent one to the same address', async () => {
    await notify({ emails: [email] })
    await publish(await alertOf())
    await accounts.catcher.waitFor(email)
    await accounts.database.query(
      `insert into mail_outbox
         (id, project_id, environment, recipient, template, sealed_code, expires_at, next_attempt_at)
       values (gen_random_uuid(), $1, 'master', $2, 'alert/unsent', '-', 'infinity', 'infinity')`,
      [client.projectId, email],
    )
    await publish(await alertOf())
    await accounts.catcher.waitFor(email, { count: 2 })
  })
})

describe('the settings', () => {
  it('are off at first, change field by field, and go back', async () => {
    const off = { emails: [], chats: [], digestInterval: 300, failures: [] }
    expect((await client.admin('GET ')).body).toMatchObject({ notify: off })
    expect((await notify({ emails: [email] })).body.notify).toEqual({ ...off, emails: [email] })
    expect((await notify({ digestInterval: 60 })).body.notify).toEqual({
      ...{ ...off, emails: [email], digestInterval: 60 },
    })
    expect((await notify(null)).body.notify).toEqual(off)
  })

  it('reach other services without the addresses', async () => {
    await notify({ emails: [email] })
    const key = `${client.projectId}/${client.environment}`
    const settings = async () =>
      (await accounts.world.platformState()).environments.get(key)?.settings ?? ''
    await until(async () => (await settings()).includes('digestInterval'), { what: 'the settings' })
    expect(await settings()).not.toContain(email)
    await notify({ emails: [] })
    expect(JSON.parse(await settings())).toMatchObject({ notify: null })
  })

  it.each([
    [{ emails: ['nobody'] }, 'notify.emails.0', 'invalid_format'],
    [{ emails: ['a@b.example\r\nBcc: c@d.example'] }, 'notify.emails.0', 'invalid_format'],
    [{ emails: ['a@b.example', 'A@b.example'] }, 'notify.emails', 'repeated'],
    [
      { emails: Array.from({ length: 11 }, (_, n) => `a${n}@b.example`) },
      'notify.emails',
      'too_many',
    ],
    [{ digestInterval: 9 }, 'notify.digestInterval', 'too_small'],
    [{ mails: [] }, 'notify.mails', 'unrecognized'],
  ])('takes no %j', async (settings, field, rule) => {
    const { status, body } = await notify(settings)
    expect([status, body.violations?.map((one) => [one.field, one.rule])]).toEqual([
      400,
      [[field, rule]],
    ])
  })
})
