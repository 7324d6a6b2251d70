import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { fieldsOf } from '@surehook/scripts/client/call'
import type { Tenant } from '@surehook/scripts/client/tenant'
import {
  openSharedListeningWorld,
  type SharedListeningWorld,
} from '../support/shared/shared-world.ts'

let world: SharedListeningWorld
let tenant: Tenant

beforeAll(async () => {
  world = await openSharedListeningWorld()
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})
beforeEach(async () => {
  tenant = await world.tenant()
})

const url = 'https://receiver.example/hooks'
const create = (key: string | undefined, fields: object = {}, as = tenant) =>
  as.webhooks('POST', { ...as.subscriptionInput(url), ...fields }, { 'idempotency-key': key })
const count = async (of = tenant) => (await of.subscriptions()).webhooks.length

describe('POST /_webhooks with an Idempotency-Key', () => {
  it('answers a repeated request with the same 201, and makes one subscription', async () => {
    const key = randomUUID()
    const first = await create(key)
    const again = await create(key)
    expect([first.status, again.status]).toEqual([201, 201])
    expect(again.body).toEqual(first.body)
    expect(await count()).toBe(1)
  })

  it('treats the same fields in another order as the same request', async () => {
    const key = randomUUID()
    const input = { ...tenant.subscriptionInput(url), filter: { status: 'paid', n: 1 } }
    const turned = Object.fromEntries(Object.entries(input).toReversed())
    const first = await tenant.webhooks('POST', input, { 'idempotency-key': key })
    const again = await tenant.webhooks(
      'POST',
      { ...turned, filter: { n: 1, status: 'paid' } },
      { 'idempotency-key': key },
    )
    expect([again.status, again.body.id]).toEqual([201, first.body.id])
  })

  it('makes one subscription for simultaneous requests', async () => {
    const key = randomUUID()
    const answers = await Promise.all(Array.from({ length: 6 }, () => create(key)))
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(201))
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
    expect(await count()).toBe(1)
  })

  it.each([{ table: 'invoices' }, { secret: 'another' }, { active: false }])(
    'refuses another request under the key: %j',
    async (fields) => {
      const key = randomUUID()
      await create(key)
      const answer = await create(key, fields)
      expect([answer.status, answer.body.error]).toEqual([409, 'CONFLICT'])
      expect(fieldsOf(answer)).toEqual(['Idempotency-Key'])
      expect(await count()).toBe(1)
    },
  )

  it('refuses the key for another operation', async () => {
    const key = randomUUID()
    const { body } = await create(key)
    const headers = { 'idempotency-key': key }
    const answer = await tenant.webhooks(`POST /${body.id}/test`, undefined, headers)
    expect([answer.status, fieldsOf(answer)]).toEqual([409, ['Idempotency-Key']])
  })

  it('leaves the key free when the request was refused', async () => {
    const key = randomUUID()
    expect((await create(key, { url: 'http://receiver.example/' })).status).toBe(400)
    expect((await create(key)).status).toBe(201)
  })

  it('still answers if the subscription was deleted since', async () => {
    const key = randomUUID()
    const { body } = await create(key)
    await tenant.webhooks(`DELETE /${body.id}`)
    const again = await create(key)
    expect([again.status, again.body.id]).toEqual([201, body.id])
    expect(await count()).toBe(0)
  })

  it('ignores the keys of other tenants', async () => {
    const key = randomUUID()
    const stranger = await world.tenant()
    const dev = await world.tenant({ projectId: tenant.projectId, environment: 'dev' })
    const answers = [await create(key), await create(key, {}, stranger), await create(key, {}, dev)]
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201])
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(3)
  })

  it.each(['', 'x'.repeat(256), 'schlüssel', 'a\tb'])('refuses the key %j', async (key) => {
    const answer = await create(key)
    expect([answer.status, fieldsOf(answer)]).toEqual([400, ['Idempotency-Key']])
    expect(await count()).toBe(0)
  })

  it.each(['k', 'x'.repeat(255), '"8e03978e-40d5-43dd-bc93-6894a57f9324"', '!~ {}'])(
    'takes the key %j',
    async (key) => {
      const [first, again] = [await create(key), await create(key)]
      expect([first.status, again.body.id]).toEqual([201, first.body.id])
    },
  )

  it('makes two subscriptions for two requests without a key', async () => {
    await create(undefined)
    await create(undefined)
    expect(await count()).toBe(2)
  })
})
