import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { expectStatus } from '@surehook/scripts/client/call'
import { defaultSecret, type Tenant } from '@surehook/scripts/client/tenant'
import { Webhook } from 'standardwebhooks'
import { type Checkout, openCheckout } from '../support/commands/checkout.ts'
import { openSharedWorld, type SharedWorld } from '../support/shared/shared-world.ts'
import { eventually, payloadOf } from '../support/world.ts'
import {
  type DeliveredRequest,
  postTo,
  type RunningReceiver,
  startReceiver,
  testedReceivers,
} from './receivers.ts'

const nextSecret = `whsec_${Buffer.from('another, for the rotation').toString('base64')}`

let resources: AsyncDisposableStack
let world: SharedWorld
let checkout: Checkout

beforeAll(async () => {
  resources = new AsyncDisposableStack()
  world = resources.use(await openSharedWorld())
  checkout = resources.use(await openCheckout())
  await checkout.writeEndpoints(world)
})
afterAll(async () => resources.disposeAsync())

describe.each(testedReceivers)('the $name receiver', (sample) => {
  let open: AsyncDisposableStack
  let tenant: Tenant
  let receiver: RunningReceiver
  let path: string
  let subscriptionId: string
  let answersToLose = 0

  beforeAll(async () => {
    open = new AsyncDisposableStack()
    tenant = await world.tenant()
    await tenant.putTable('orders')
    const secrets = JSON.stringify([defaultSecret, nextSecret])
    const plain = { WEBHOOK_SECRETS: secrets, TLS_CERT: null, TLS_KEY: null }
    receiver = open.use(await startReceiver(checkout, sample, plain))
    path = `/${receiver.port}`
    world.receiver.answer(path, async (delivery) => {
      const status = await postTo(receiver.port, delivery)
      if (answersToLose === 0) return { status }
      answersToLose -= 1
      return 'cut'
    })
    subscriptionId = (await tenant.subscribe(world.receiver.url(path))).id
  })
  afterAll(async () => open.disposeAsync())

  /** Delivers a change, and returns the request of its last attempt. */
  async function deliver(attempts = 1): Promise<DeliveredRequest> {
    const before = world.receiver.receipts(path).length
    await tenant.insert({ status: 'new', note: 'ä 😀' })
    await eventually(
      async () => world.receiver.receipts(path).length,
      (count) => count === before + attempts,
    )
    const last = world.receiver.receipts(path).at(-1)
    if (last === undefined) throw new Error('nothing came')
    const { id } = payloadOf(last)
    const [newest] = await eventually(
      () => tenant.deliveries(subscriptionId),
      ([one]) => one?.eventId === id && one.status === 'delivered',
    )
    expect(newest).toMatchObject({ httpStatus: 204, attempts })
    return last
  }

  it('accepts a delivery, and only once when it is repeated', async () => {
    const delivery = await deliver()
    expect(await receiver.inbox()).toContain(delivery.body)
    const count = (await receiver.inbox()).length
    expect(await Promise.all([1, 2, 3].map(() => postTo(receiver.port, delivery)))).toEqual([
      204, 204, 204,
    ])
    expect(await receiver.inbox()).toHaveLength(count)
  })

  it('accepts deliveries over HTTPS itself, one for each subscription to an event', async () => {
    await using own = await startReceiver(checkout, sample)
    const other = await world.tenant()
    await other.putTable('orders')
    const url = `https://localhost:${own.port}/hooks`
    const ids = await Promise.all([1, 2].map(async () => (await other.subscribe(url)).id))
    await other.insert({ status: 'new' })
    for (const id of ids) {
      const newest = ([one]: { status: string }[]) => one?.status === 'delivered'
      await eventually(() => other.deliveries(id), newest)
    }
    const bodies = await own.inbox()
    expect(bodies).toHaveLength(2)
    expect(new Set(bodies.map((body) => payloadOf({ body }).id)).size).toBe(1)
  })

  it('accepts one event even if its answer is lost and it is attempted again', async () => {
    const count = (await receiver.inbox()).length
    answersToLose = 1
    await deliver(2)
    expect(await receiver.inbox()).toHaveLength(count + 1)
  })

  it('accepts the signatures of both secrets during a rotation', async () => {
    const before = await deliver()
    const change = { secret: nextSecret }
    expectStatus(200, await tenant.webhooks(`PATCH /${subscriptionId}`, change))
    const after = await deliver()
    const inbox = await receiver.inbox()
    expect(inbox).toEqual(expect.arrayContaining([before.body, after.body]))
    expect(after.headers['webhook-signature']?.split(' ')).toHaveLength(2)
  })

  it('refuses forged, changed and old deliveries', async () => {
    const delivery = await deliver()
    const count = (await receiver.inbox()).length
    const changed = delivery.body.replace('"new"', '"paid"')
    const without = (name: string) => ({ ...delivery.headers, [name]: '' })
    const cases: Record<string, DeliveredRequest> = {
      'another body': { ...signed(delivery, { secret: 'not ours' }), body: changed },
      'a body that was changed': { ...delivery, body: changed },
      'the secret of somebody else': signed(delivery, { secret: 'not ours' }),
      'no Standard Webhooks signature': { ...delivery, headers: without('webhook-signature') },
      ...(sample.checksServiceSignature && {
        'no X-Service-Signature': { ...delivery, headers: without('x-service-signature') },
      }),
      'no time': { ...delivery, headers: without('webhook-timestamp') },
      'another time': { ...delivery, headers: { ...delivery.headers, 'webhook-timestamp': now() } },
      'another id': { ...delivery, headers: { ...delivery.headers, 'webhook-id': 'other' } },
      'six minutes ago': signed(delivery, { ageS: 360 }),
      'in six minutes': signed(delivery, { ageS: -360 }),
    }
    for (const [name, one] of Object.entries(cases)) {
      const length = { 'content-length': String(Buffer.byteLength(one.body)) }
      const sent = { headers: { ...one.headers, ...length }, body: one.body }
      expect([name, await postTo(receiver.port, sent)]).toEqual([name, 401])
    }
    expect(await receiver.inbox()).toHaveLength(count)
    expect(await postTo(receiver.port, signed(delivery, { ageS: 240 }))).toBe(204)
  })
})

const now = () => String(Math.floor(Date.now() / 1000) + 1)

/** Signs a request like the dispatcher, but with another secret or time. */
function signed(
  { headers, body }: DeliveredRequest,
  { secret = defaultSecret, ageS = 0 }: { secret?: string; ageS?: number },
): DeliveredRequest {
  const at = new Date(Date.now() - ageS * 1000)
  const id = headers['webhook-id'] ?? ''
  const webhook = new Webhook(Buffer.from(secret), { format: 'raw' })
  const digest = createHmac('sha256', secret).update(body).digest('hex')
  const signatures = {
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': webhook.sign(id, at, body),
    'x-service-signature': `sha256=${digest}`,
  }
  return { headers: { ...headers, ...signatures }, body }
}
