import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { admin, expectStatus } from '@surehook/scripts/client/call'
import { type MailCatcher, startMailCatcher } from '@surehook/scripts/mail/mail-catcher'
import { type ListeningWorld, newPath, openListeningWorld } from '../support/listening-world.ts'

let catcher: MailCatcher
let world: ListeningWorld

beforeAll(async () => {
  catcher = await startMailCatcher()
  world = await openListeningWorld({
    env: {
      SMTP_URL: catcher.url,
      WEBHOOK_RETRY_DELAYS: '500ms,600ms,700ms,800ms',
      WEBHOOK_CIRCUIT_COOLDOWN: '4s',
    },
  })
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await catcher?.[Symbol.asyncDispose]()
})

it('people hear once that a receiver died, and once that it works again', async () => {
  const tenant = await world.tenant()
  const { projectId, environment } = tenant
  const email = `${randomUUID()}@ops.example`
  const path = `PUT /${projectId}/environments/${environment}`
  const chat = newPath()
  const chats = [{ url: world.receiver.url(chat), kind: 'slack' }]
  const notify = { emails: [email], chats, digestInterval: 10 }
  expectStatus(200, await admin(world.system, path, { notify }))
  const listener = await world.listen(tenant, { name: 'Orders' }, () => ({ status: 500 }))
  expectStatus(201, await tenant.rest('POST orders', Array(5).fill({ status: 'new' })))

  const died = await catcher.waitFor(email)
  expect(died.subject).toBe(`${projectId}/${environment}: 1 webhook failing`)
  expect(died.text).toMatch(`Orders (${listener.id}): failing since`)
  expect(died.text).toContain('circuit opened')
  expect(died.text).toContain(`/console/webhooks/${listener.id}?project=${projectId}`)
  expect(died.text).not.toContain(listener.path)
  const [post] = await world.receiver.waitFor(chat, 1)
  expect(JSON.parse(post?.body ?? '')).toMatchObject({
    text: expect.stringContaining(died.subject),
  })

  listener.answer(() => ({ status: 204 }))
  // A delivery that is not a dead letter yet, or a new one.
  expectStatus(201, await tenant.rest('POST orders', { status: 'new' }))
  const works = await catcher.waitFor(email, { count: 2 })
  expect(works.subject).toBe(`${projectId}/${environment}: 1 webhook recovered`)
  expect(works.text).toMatch(`Orders (${listener.id}): recovered, had failed since`)
  expect(catcher.mails.filter(({ to }) => to === email)).toHaveLength(2)
  expect(await world.receiver.waitFor(chat, 2)).toHaveLength(2)
})
