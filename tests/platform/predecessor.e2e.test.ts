import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Preview, Replay } from '@surehook/contracts/http/webhooks/log'
import { type Answer, admin, expectStatus, fieldsOf, send } from '@surehook/scripts/client/call'
import { openStream } from '@surehook/scripts/client/stream'
import { createTenant, type Tenant } from '@surehook/scripts/client/tenant'
import { ask, everyQuestion } from '../support/deletion/every-question.ts'
import {
  furnish,
  idempotencyKey,
  password,
  type Remembered,
} from '../support/deletion/first-owner.ts'
import { openSharedWorld, type SharedWorld } from '../support/shared/shared-world.ts'
import { eventually } from '../support/world.ts'

// The first owner's data is marked, and the second owner of the same names asks for it everywhere.
const mark = `m${randomBytes(8).toString('hex')}`
const projectId = `p-${randomUUID()}`
const listened = `/${randomUUID()}`
const email = 'second@example.com'

let world: SharedWorld
let remembered: Remembered
let second: Tenant
let webhookId: string
let userToken: string

beforeAll(async () => {
  world = await openSharedWorld()
  const first = await world.tenant({ projectId })
  remembered = await furnish({ world, tenant: first, mark })
  expectStatus(202, await admin(world.system, `DELETE /${projectId}`))
  await eventually(
    () => admin(world.system, `GET /${projectId}/environments/master`),
    ({ status }) => status === 404,
  )
  second = await createTenant(world.system, { projectId })
  userToken = await signUp()
  await second.putTable('orders')
  webhookId = (await second.subscribe(world.receiver.url(listened))).id
  await second.insert({ note: 'mine' })
  await world.receiver.waitFor(listened, 1)
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

const names = () => ({ 'x-project-id': projectId, environment: 'master' })

const auth = <T>(request: string, body: object) =>
  send<T>(world.system.baseUrl, request, { headers: names(), body })

async function signUp(): Promise<string> {
  const path = `PUT /${projectId}/environments/master`
  const settings = { auth: { emailVerification: false } }
  expectStatus(200, await admin(world.system, path, settings))
  expectStatus(201, await auth('POST /auth/signup', { email, password }))
  const login = await auth<{ accessToken: string }>('POST /auth/login', { email, password })
  return expectStatus(200, login).body.accessToken
}

const withoutMark = (answer: Answer<unknown>) => {
  expect(answer.text + JSON.stringify([...answer.headers])).not.toContain(mark)
  return answer
}

describe('the second owner of an environment', () => {
  it('finds nothing of the first one in an answer to any GET of any API', async () => {
    const { accessToken } = remembered
    const userTokens = [userToken, accessToken]
    const asking = { platform: world.system, tenant: second, remembered, userTokens }
    const questions = everyQuestion({ ...asking, webhookIds: [webhookId] })
    const leaks: string[] = []
    const served = new Set<string>()
    for (const question of questions) {
      const answer = await ask(world.system, question)
      if (answer.status === 200) served.add(question.path)
      if (answer.status >= 500) leaks.push(`${question.url}: ${answer.status}`)
      // A question may quote what it asks for.
      const asked = decodeURIComponent(question.url).includes(mark)
      if (answer.text.includes(mark) && !(asked && answer.status >= 400)) leaks.push(question.url)
    }
    expect(leaks).toEqual([])
    expect(served.size).toBeGreaterThan(20)
  })

  it('streams, previews and replays only its own changes', async () => {
    const page = 'GET _stream?format=ndjson&from=1h&limit=500'
    withoutMark(await second.rest(page))
    const orders = withoutMark(await second.rest(`${page}&table=orders`))
    expect(orders.text.trim().split('\n')).toHaveLength(1)
    using stream = await openStream(`${world.system.baseUrl}/gw`, second, { query: '?from=1h' })
    await stream.arrived(1)
    expect(JSON.stringify(stream.events)).not.toContain(mark)

    const { id: _, ...input } = { id: '', ...second.subscriptionInput(world.receiver.url('/p')) }
    const tables = ['orders', 'invoices', `t_${mark}`, '_deliveries', '_endpoints']
    for (const table of tables) {
      const { body } = await second.webhooks<Preview>('POST /preview', { ...input, table })
      expect([table, body.scanned ?? 0]).toEqual([table, table === 'orders' ? 1 : 0])
    }

    const from = new Date(Date.now() - 3_600_000).toISOString()
    const asked = await second.webhooks<{ replayId: string }>(`POST /${webhookId}/replay`, { from })
    const { replayId } = expectStatus(202, asked).body
    const done = await eventually(
      () => second.webhooks<Replay>(`GET /${webhookId}/replays/${replayId}`),
      ({ body }) => body.state === 'done',
    )
    expect(done.body).toMatchObject({ scanned: 1, deliveries: 1 })
    const receipts = await world.receiver.waitFor(listened, 2)
    for (const { body, headers } of receipts) {
      expect(body).toContain('mine')
      expect(JSON.stringify(headers)).not.toContain(mark)
    }
  })

  it('gets nothing for remembered cursors, ids and keys', async () => {
    const { streamCursor, webhookIds, deliveryIds, eventIds } = remembered
    const cursor = await second.rest(`GET _stream?format=ndjson&cursor=${streamCursor}`)
    expect([cursor.status, fieldsOf(cursor)]).toEqual([400, ['cursor']])
    expect(cursor.text).toContain('expired')
    const again = await second.rest('GET _stream?format=ndjson', undefined, {
      'last-event-id': streamCursor,
    })
    expect([again.status, fieldsOf(again)]).toEqual([400, ['Last-Event-ID']])
    for (const id of [...webhookIds, webhookId]) {
      for (const deliveryId of deliveryIds) {
        const sent = await second.webhooks(`POST /${id}/deliveries/${deliveryId}/redeliver`)
        expect(withoutMark(sent).status).toBe(404)
      }
    }
    for (const eventId of eventIds) {
      const timestamp = new Date().toISOString()
      const why = `GET /${webhookId}/explain?eventId=${eventId}&timestamp=${timestamp}`
      expect(withoutMark(await second.webhooks(why)).status).toBe(404)
    }
    const once = { 'idempotency-key': idempotencyKey }
    const record = await second.rest('POST orders', { note: mark, n: 1 }, once)
    expect(expectStatus(201, record).body.id).not.toBe(remembered.recordIds[0])
    withoutMark(await second.webhooks(`DELETE /${webhookIds[0]}`))
  })

  it('has none of the first one’s users, sessions, tables and types', async () => {
    const { accessToken, refreshToken } = remembered
    const old = { email: `${mark}@example.com`, password }
    expect((await auth('POST /auth/login', old)).status).toBe(401)
    expect((await auth('POST /auth/refresh-token', { refreshToken })).status).toBe(401)
    const authorization = `Bearer ${accessToken}`
    expect((await second.rest('GET orders', undefined, { authorization })).status).toBe(401)
    const types = await second.graphql('{ __schema { types { name fields { name } } } }')
    expect(types.status).toBe(200)
    expect(types.text).not.toContain(mark)
    expect((await second.rest(`GET t_${mark}`)).status).toBe(404)
  })

  it('sends nothing to the first one’s receivers', () => {
    const paths = ['takes', 'own', 'sleeps', 'dead', 'circuit']
    const late = paths.flatMap((path) => world.receiver.receipts(`/${mark}/${path}`))
    expect(late.filter(({ body }) => body.includes('mine'))).toEqual([])
  })
})
