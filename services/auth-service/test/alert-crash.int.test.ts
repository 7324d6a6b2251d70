import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { alertsTopic } from '@surehook/contracts/topics'
import { type EventProducer, openProducer } from '@surehook/kafka/producer/producer'
import type { EventCodec } from '@surehook/schemas/codec'
import { type MailCatcher, startMailCatcher } from '@surehook/scripts/mail/mail-catcher'
import { openPool } from '@surehook/service-kit/postgres/pool'
import { openClients } from '@surehook/testing/platform-service'
import type { ServiceProcess } from '@surehook/testing/service-process'
import { until } from '@surehook/testing/until'
import type { Pool } from 'pg'
import { mailFrom, newEmail, patientSmtpUrl } from './support/account-world.ts'
import { openAuthClient } from './support/auth-client.ts'
import { log, openWorld, sharedStack, type World } from './support/under-test.ts'

let world: World
let database: Pool
let producer: EventProducer
let codec: EventCodec
let catcher: MailCatcher
/** Dies at this moment of its next mail: before the server accepts the recipient, or the mail. */
let dies: 'before the mail' | 'before the answer' | null = null
let sender: ServiceProcess | undefined

const die = async (moment: typeof dies) => {
  if (dies !== moment) return
  dies = null
  await sender?.end('SIGKILL')
}

beforeAll(async () => {
  world = await openWorld()
  const connectionString = world.database.databaseUrl
  database = openPool({ connectionString, applicationName: 'test', log })
  const clients = await openClients(sharedStack())
  codec = clients.codec
  producer = await openProducer(clients.kafka, { log })
  catcher = await startMailCatcher({
    accept: () => die('before the mail'),
    show: () => die('before the answer'),
  })
})
afterAll(async () => {
  await sender?.[Symbol.asyncDispose]()
  await catcher?.[Symbol.asyncDispose]()
  await producer?.[Symbol.asyncDispose]()
  await database?.end()
  await world?.[Symbol.asyncDispose]()
})

const mailsTo = (email: string) => catcher.mails.filter(({ to }) => to === email)
const waiting = async (email: string) =>
  (await database.query('select from mail_outbox where recipient = $1', [email])).rows.length
const smtpUrl = () => patientSmtpUrl(catcher.port)

/** Publishes an alert to the address. Resolves when the process that sent it was killed. */
async function killSender(email: string, moment: typeof dies): Promise<void> {
  sender = await world.startProcess({ SMTP_URL: smtpUrl(), MAIL_FROM: mailFrom })
  const client = await openAuthClient(sender.api)
  const { projectId, environment } = client
  const { body } = await client.admin<{ createdAt: string }>('PUT ', {
    notify: { emails: [email] },
  })
  dies = moment
  const since = new Date().toISOString()
  const value = codec.alert.encode({
    ...{ id: randomUUID(), projectId, environment, environmentCreatedAt: body.createdAt },
    ...{ at: since, more: 0 },
    webhooks: [
      {
        ...{ webhookId: 'hook-1', name: 'Orders', recovered: false, since, circuitOpened: true },
        ...{ deadLetters: 0, paused: 0, deactivated: null },
      },
    ],
  })
  await producer.send([{ topic: alertsTopic, key: `${projectId}/${environment}`, value }])
  await until(() => dies === null, { what: 'the mail that kills its sender' })
  await sender.end('SIGKILL')
  expect(await waiting(email)).toBe(1)
}

/** Another process sends what the killed one had claimed, once its claim has ended. */
async function sentByAnother(email: string): Promise<void> {
  await using _other = await world.startService({ mail: { smtpUrl: smtpUrl(), from: mailFrom } })
  await database.query('update mail_outbox set next_attempt_at = now() where recipient = $1', [
    email,
  ])
  await until(async () => (await waiting(email)) === 0, { what: 'an empty outbox' })
}

describe('an alert whose sender is killed', () => {
  it('before the mail server has it comes once, from another process', async () => {
    const email = newEmail()
    await killSender(email, 'before the mail')
    expect(mailsTo(email)).toEqual([])
    await sentByAnother(email)
    expect(mailsTo(email)).toHaveLength(1)
  })

  it('before it noted the answer comes twice, with the same Message-ID', async () => {
    const email = newEmail()
    await killSender(email, 'before the answer')
    await sentByAnother(email)
    const [first, second, ...others] = mailsTo(email)
    expect(first?.messageId).toMatch(/^<.+>$/)
    expect(second?.messageId).toBe(first?.messageId)
    expect(others).toEqual([])
  })
})
