import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { DeliveryDetail, listDeliveries } from '@surehook/contracts/http/webhooks/deliveries'
import type { Delivery } from '@surehook/contracts/http/webhooks/webhooks'
import type { ReplyOf } from '@surehook/contracts/operation'
import { expectStatus } from '@surehook/scripts/client/call'
import { defaultSecret, type Tenant } from '@surehook/scripts/client/tenant'
import type { Behaviour } from '@surehook/scripts/receiver/receiver'
import { verifySignature, verifyStandardWebhook } from '@surehook/scripts/receiver/verify-signature'
import { surehook } from '../support/commands/operator-cli.ts'
import {
  type Listener,
  type ListeningWorld,
  openListeningWorld,
} from '../support/listening-world.ts'
import { eventually, payloadOf } from '../support/world.ts'

let world: ListeningWorld
let tenant: Tenant

beforeAll(async () => {
  const env = { WEBHOOK_RETRY_DELAYS: '100ms,100ms,100ms,100ms', WEBHOOK_CIRCUIT_COOLDOWN: '500ms' }
  world = await openListeningWorld({ env })
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})
beforeEach(async () => {
  tenant = await world.tenant()
})

const fail: Behaviour = () => ({ status: 500, body: 'no room' })
const succeed: Behaviour = () => ({ status: 204 })

const get = async <T>(id: string, path: string) =>
  expectStatus(200, await tenant.webhooks<T>(`GET /${id}/deliveries${path}`)).body
const list = (id: string, query = '') => get<ReplyOf<typeof listDeliveries>>(id, query)
const detail = (id: string, deliveryId: string) => get<DeliveryDetail>(id, `/${deliveryId}`)
const post = async <T>(path: string, body?: object, headers = {}) =>
  expectStatus(202, await tenant.webhooks<T>(`POST /${path}`, body, headers)).body
const redeliver = (id: string, deliveryId: string, headers = {}) =>
  post<{ deliveryId: string }>(`${id}/deliveries/${deliveryId}/redeliver`, undefined, headers)
const until = (id: string, deliveryId: string, status: string) =>
  eventually(
    () => detail(id, deliveryId),
    (shown) => shown.status === status,
  )
const dead = (count: number) => (all: Delivery[]) =>
  all.filter(({ status }) => status === 'dead_letter').length === count

/** Creates a listener with `count` deliveries that failed permanently. */
async function withDeadLetters(count: number): Promise<[Listener, Delivery[]]> {
  const listener = await world.listen(tenant, {}, fail)
  for (let n = 0; n < count; n++) await tenant.insert({ n })
  const log = await listener.log(dead(count))
  listener.answer(succeed)
  return [listener, log]
}

describe('GET …/deliveries/{deliveryId}', () => {
  it('shows the record, the body that was sent, and every attempt', async () => {
    const listener = await world.listen(tenant, {}, (_receipt, nth) =>
      nth === 1 ? { status: 503, body: 'ä'.repeat(4096) } : { status: 200, body: 'thanks' },
    )
    await tenant.insert({ status: 'new' })
    const [delivery] = await listener.log(([newest]) => newest?.status === 'delivered')
    // A busy history may read the transition before the job, which has the body.
    const shown = await eventually(
      () => detail(listener.id, delivery?.id ?? ''),
      ({ body }) => body !== null,
    )
    const receipt = await listener.firstReceipt()
    const attempt = {
      at: expect.any(String),
      url: world.receiver.url(listener.path),
      latencyMs: expect.any(Number),
      errorMessage: null,
    }
    expect(shown).toEqual({
      ...delivery,
      webhookId: receipt.headers['webhook-id'],
      body: receipt.body,
      retryDelays: ['100ms', '100ms', '100ms', '100ms'],
      attemptLog: [
        {
          ...attempt,
          attempt: 1,
          outcome: 'retrying',
          httpStatus: 503,
          errorClass: 'http',
          answer: 'ä'.repeat(2048),
        },
        {
          ...attempt,
          attempt: 2,
          outcome: 'delivered',
          httpStatus: 200,
          errorClass: null,
          answer: 'thanks',
        },
      ],
    })
  })
})

describe('GET …/deliveries', () => {
  it('filters by status and event', async () => {
    const listener = await world.listen(tenant, {}, (receipt) => ({
      status: payloadOf(receipt).record['n'] === 1 ? 500 : 204,
    }))
    for (const n of [0, 1, 2]) await tenant.insert({ n })
    const log = await listener.log(
      (all) => dead(1)(all) && all.filter(({ status }) => status === 'delivered').length === 2,
    )
    const failed = log.find(({ status }) => status === 'dead_letter')
    expect(await list(listener.id, '?status=dead_letter')).toEqual({
      deliveries: [failed],
      nextCursor: null,
    })
    expect((await list(listener.id, '?status=cancelled')).deliveries).toEqual([])
    const byEvent = await list(listener.id, `?eventId=${failed?.eventId}`)
    expect(byEvent.deliveries).toEqual([failed])
  })

  it('ends with the subscription', async () => {
    const [listener, [letter]] = await withDeadLetters(1)
    expectStatus(204, await tenant.webhooks(`DELETE /${listener.id}`))
    const paths = ['', `/${letter?.id}`].map((path) => `GET /${listener.id}/deliveries${path}`)
    paths.push(
      `POST /${listener.id}/deliveries/${letter?.id}/redeliver`,
      `POST /${listener.id}/test`,
    )
    for (const request of paths) {
      const { status, body } = await tenant.webhooks(request)
      expect([request, status, body.error]).toEqual([request, 404, 'WEBHOOK_NOT_FOUND'])
    }
  })
})

describe('redeliver', () => {
  it('sends the same bytes with the same webhook-id, as a new delivery', async () => {
    const [listener, [letter]] = await withDeadLetters(1)
    const original = await detail(listener.id, letter?.id ?? '')
    const { deliveryId } = await redeliver(listener.id, original.id)
    expect(deliveryId).not.toBe(original.id)
    const again = await until(listener.id, deliveryId, 'delivered')
    const { eventId, webhookId, body } = original
    expect(again).toMatchObject({
      redeliveryOf: original.id,
      eventId,
      webhookId,
      body,
      attempts: 1,
    })
    const last = listener.receipts.at(-1)
    if (last === undefined) throw new Error('nothing came')
    expect([last.headers['webhook-id'], last.body]).toEqual([webhookId, listener.receipts[0]?.body])
    expect(verifySignature(last, defaultSecret)).toBe(true)
    expect(verifyStandardWebhook(last, defaultSecret)).toBe(true)
    expect(await detail(listener.id, original.id)).toEqual(original)
  })

  it('is in the log as soon as it is answered, and has five new attempts', async () => {
    const [listener, [letter]] = await withDeadLetters(1)
    listener.answer(fail)
    const { deliveryId } = await redeliver(listener.id, letter?.id ?? '')
    expect((await detail(listener.id, deliveryId)).redeliveryOf).toBe(letter?.id)
    const again = await until(listener.id, deliveryId, 'dead_letter')
    expect(again.attemptLog.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5])
    expect(listener.receipts).toHaveLength(10)
  })

  it('also sends a successful delivery again', async () => {
    const listener = await world.listen(tenant)
    await tenant.insert()
    const [delivery] = await listener.log(([newest]) => newest?.status === 'delivered')
    const { deliveryId } = await redeliver(listener.id, delivery?.id ?? '')
    await until(listener.id, deliveryId, 'delivered')
    expect(listener.receipts).toHaveLength(2)
  })

  it('repeated with its Idempotency-Key sends nothing more', async () => {
    const [listener, [letter]] = await withDeadLetters(1)
    const key = { 'idempotency-key': randomUUID() }
    const answers = await Promise.all(
      [1, 2, 3].map(() => redeliver(listener.id, letter?.id ?? '', key)),
    )
    expect(new Set(answers.map(({ deliveryId }) => deliveryId)).size).toBe(1)
    await until(listener.id, answers[0]?.deliveryId ?? '', 'delivered')
    const all = (await list(listener.id)).deliveries
    expect(all).toHaveLength(2)
  })

  it('uses the present URL of the subscription', async () => {
    const [listener, [letter]] = await withDeadLetters(1)
    const moved = `/${randomUUID()}`
    const url = world.receiver.url(moved)
    expectStatus(200, await tenant.webhooks(`PATCH /${listener.id}`, { url }))
    await redeliver(listener.id, letter?.id ?? '')
    const [receipt] = await world.receiver.waitFor(moved, 1)
    expect(receipt?.body).toBe(listener.receipts[0]?.body)
  })

  it('to an inactive subscription is paused, and continues when it is active', async () => {
    const [listener, [letter]] = await withDeadLetters(1)
    const activate = async (active: boolean) =>
      expectStatus(200, await tenant.webhooks(`PATCH /${listener.id}`, { active }))
    await activate(false)
    const { deliveryId } = await redeliver(listener.id, letter?.id ?? '')
    await until(listener.id, deliveryId, 'paused')
    await activate(true)
    await until(listener.id, deliveryId, 'delivered')
  })
})

describe('test', () => {
  it('sends a synthetic event, whatever the filter', async () => {
    const fields = { events: ['DELETE'], filter: { status: 'never' }, select: ['status'] }
    const listener = await world.listen(tenant, fields)
    const { eventId, deliveryId } = await tenant.sendTest(listener.id)
    const receipt = await listener.firstReceipt()
    expect(payloadOf(receipt)).toEqual({
      id: eventId,
      timestamp: expect.any(String),
      project_id: tenant.projectId,
      environment: tenant.environment,
      table: 'orders',
      event: 'DELETE',
      record: { test: true },
      data: { test: true },
      changed_fields: [],
    })
    expect(receipt.headers['webhook-id']).toBe(deliveryId)
    expect(verifySignature(receipt, defaultSecret)).toBe(true)
    expect(await until(listener.id, deliveryId, 'delivered')).toMatchObject({ eventId })
  })
})

describe('recover', () => {
  it('sends every dead letter of the span again once', async () => {
    const before = new Date().toISOString()
    const [listener, letters] = await withDeadLetters(3)
    const seen = listener.receipts.length
    expect(await post(`${listener.id}/recover`, { since: before })).toEqual({ count: 3 })
    const all = await eventually(
      async () => (await list(listener.id, '?status=delivered')).deliveries,
      (delivered) => delivered.length === 3,
    )
    const originals = all.map(({ redeliveryOf }) => redeliveryOf)
    expect(originals.toSorted()).toEqual(letters.map(({ id }) => id).toSorted())
    expect(listener.receipts).toHaveLength(seen + 3)
    expect(await post(`${listener.id}/recover`, { since: before })).toEqual({ count: 0 })
  })

  it('leaves deliveries from before and after the span', async () => {
    const [listener, letters] = await withDeadLetters(3)
    const [newest, middle] = letters
    const span = { since: middle?.createdAt, until: newest?.createdAt }
    expect(await post(`${listener.id}/recover`, span)).toEqual({ count: 1 })
    const [again] = await eventually(
      async () => (await list(listener.id, '?status=delivered')).deliveries,
      (delivered) => delivered.length === 1,
    )
    expect(again?.redeliveryOf).toBe(middle?.id)
  })
})

describe('surehook rebuild history', () => {
  const rebuild = (...args: string[]) => {
    const { baseUrl, adminToken } = world.system
    const platform = { SUREHOOK_URL: baseUrl, SUREHOOK_ADMIN_TOKEN: adminToken }
    return surehook(platform, 'rebuild', 'history', ...args)
  }

  it('empties the history and shows the same again when it ends', async () => {
    const [listener, [letter]] = await withDeadLetters(1)
    const read = await detail(listener.id, letter?.id ?? '')
    const rebuilt = await rebuild()
    expect(rebuilt.code).toBe(0)
    expect(rebuilt.out).toMatch(/^rebuilt from [1-9]\d* records/)
    expect(await detail(listener.id, read.id)).toEqual(read)
    expect(await list(listener.id)).toMatchObject({ deliveries: [letter] })
    expect(listener.receipts).toHaveLength(5)

    const detached = await rebuild('--detach', '--json')
    expect([detached.code, detached.json()]).toEqual([
      0,
      expect.objectContaining({ state: 'running' }),
    ])
  })

  it('is refused without the token of the administrator', async () => {
    const platform = { SUREHOOK_URL: world.system.baseUrl, SUREHOOK_ADMIN_TOKEN: 'x'.repeat(32) }
    const refused = await surehook(platform, 'rebuild', 'history')
    expect(refused).toMatchObject({ code: 1, out: '' })
    expect(refused.notes).toContain('ADMIN_TOKEN_INVALID')
  })
})
