import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { DeliveryDetail } from '@surehook/contracts/http/webhooks/deliveries'
import type { Delivery } from '@surehook/contracts/http/webhooks/webhooks'
import { expectStatus } from '@surehook/scripts/client/call'
import { defaultSecret, type Tenant } from '@surehook/scripts/client/tenant'
import { freePort } from '@surehook/scripts/lib/ports'
import { createCertificates } from '@surehook/scripts/receiver/certificates'
import { type Behaviour, openReceiver } from '@surehook/scripts/receiver/receiver'
import { verifySignature } from '@surehook/scripts/receiver/verify-signature'
import {
  type Listener,
  type ListeningWorld,
  openListeningWorld,
} from '../support/listening-world.ts'
import { eventually } from '../support/world.ts'

/** The delays of this system. `npm run test:nightly` checks those of the specification. */
const delaysMs = [200, 300, 400, 1_500]
const cooldownMs = 2_000
const maxAttempts = 5

let world: ListeningWorld
let tenant: Tenant

beforeAll(async () => {
  world = await openListeningWorld({
    env: {
      WEBHOOK_RETRY_DELAYS: delaysMs.map((ms) => `${ms}ms`).join(),
      WEBHOOK_CIRCUIT_COOLDOWN: `${cooldownMs}ms`,
    },
  })
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})
beforeEach(async () => {
  tenant = await world.tenant()
})

const fail: Behaviour = () => ({ status: 500 })
const succeed: Behaviour = () => ({ status: 204 })
const failTimes =
  (times: number): Behaviour =>
  (_receipt, nth) => ({ status: nth <= times ? 500 : 204 })

const change = async ({ id }: Listener, fields: object) =>
  expectStatus(200, await tenant.webhooks(`PATCH /${id}`, fields))
const newestIs =
  (status: string) =>
  ([newest]: Delivery[]) =>
    newest?.status === status
const allDelivered = (count: number) => (all: Delivery[]) =>
  all.length === count && all.every(({ status }) => status === 'delivered')
const times = ({ receipts }: Listener) => receipts.map(({ at }) => at)

describe('an answer', () => {
  it.each([200, 201, 202, 204, 226, 299])('of %i is success', async (status) => {
    const listener = await world.listen(tenant, {}, () => ({ status }))
    await tenant.insert()
    const [delivery] = await listener.log(newestIs('delivered'))
    expect(delivery).toMatchObject({ httpStatus: status, attempts: 1, lastError: null })
  })

  it.each([301, 304, 307, 400, 401, 404, 410, 429, 500, 503])(
    'of %i is a failure; the next attempt may succeed',
    async (status) => {
      const elsewhere = `${new URL(world.receiver.url('/')).origin}/elsewhere`
      const headers = { location: elsewhere }
      const listener = await world.listen(tenant, {}, (_receipt, nth) =>
        nth === 1 ? { status, headers } : { status: 200 },
      )
      await tenant.insert()
      const [delivery] = await listener.log(newestIs('delivered'))
      expect(delivery).toMatchObject({ httpStatus: 200, attempts: 2 })
      // The log may have read both attempts before the test sees the first.
      const shown = await tenant.webhooks(`GET /${listener.id}/deliveries/${delivery?.id}`)
      const { attemptLog } = DeliveryDetail.parse(shown.body)
      expect(attemptLog[0]).toMatchObject({ outcome: 'retrying', httpStatus: status })
      expect(attemptLog.map(({ errorClass }) => errorClass)).toEqual(['http', null])
      expect(world.receiver.receipts('/elsewhere')).toEqual([])
    },
  )

  it('may be long: the excess is not read', async () => {
    const listener = await world.listen(tenant, {}, () => ({ status: 200, body: 'x'.repeat(1e6) }))
    await tenant.insert()
    const [delivery] = await listener.log(newestIs('delivered'))
    expect(delivery?.attempts).toBe(1)
  })

  it('counts within 5 seconds, and not after', async () => {
    const inTime = await world.listen(tenant, {}, () => ({ status: 200, delayMs: 2_500 }))
    const late = await world.listen(tenant, {}, (_receipt, nth) =>
      nth === 1 ? 'hang' : { status: 200 },
    )
    await tenant.insert()
    const [first, second] = await late.arrived(2).then(() => times(late))
    expect((second ?? 0) - (first ?? 0)).toBeGreaterThan(5_000)
    const [delivery] = await inTime.log(newestIs('delivered'))
    expect(delivery?.attempts).toBe(1)
    expect((await late.log(newestIs('delivered')))[0]?.attempts).toBe(2)
  })
})

describe('a receiver that cannot be reached', () => {
  const lastErrorOf = async (url: string) => {
    const { id } = await tenant.subscribe(url)
    await tenant.insert()
    const [delivery] = await eventually(
      () => tenant.deliveries(id),
      ([newest]) => (newest?.attempts ?? 0) > 0,
    )
    expect(delivery?.httpStatus).toBeNull()
    return delivery?.lastError
  }

  it('is a failure with its reason', async () => {
    await using stranger = await openReceiver(await createCertificates())
    const closed = await world.listen(tenant, {}, () => 'reset')
    await tenant.insert()
    await closed.log(([newest]) => newest?.lastError === 'refused')
    expect(await lastErrorOf(`https://localhost:${await freePort()}/`)).toBe('refused')
    expect(await lastErrorOf('https://nowhere.invalid/')).toBe('dns')
    expect(await lastErrorOf(stranger.url('/'))).toBe('tls')
    expect(await lastErrorOf('https://10.0.0.1/')).toBe('ssrf_blocked')
    expect(await lastErrorOf('https://169.254.169.254/latest/meta-data')).toBe('ssrf_blocked')
    expect(stranger.receipts('/')).toEqual([])
  })
})

describe('a delivery that fails', () => {
  it('is tried 5 times after the delays with the same id and bytes, then is a dead letter', async () => {
    const listener = await world.listen(tenant, {}, fail)
    await tenant.insert({ note: 'dead' })
    const [dead] = await listener.log(newestIs('dead_letter'))
    expect(dead).toMatchObject({ attempts: maxAttempts, httpStatus: 500, nextAttemptAt: null })
    const { receipts } = listener
    expect(receipts).toHaveLength(maxAttempts)
    expect(new Set(receipts.map(({ body }) => body)).size).toBe(1)
    expect(new Set(receipts.map(({ headers }) => headers['webhook-id']))).toEqual(
      new Set([dead?.id]),
    )
    for (const [index, delayMs] of delaysMs.entries()) {
      const waited = (receipts[index + 1]?.at ?? 0) - (receipts[index]?.at ?? 0)
      expect(waited).toBeGreaterThanOrEqual(delayMs)
    }
  })

  it('is not delivered again automatically once it is a dead letter', async () => {
    const listener = await world.listen(tenant, {}, fail)
    await tenant.insert({ note: 'dead' })
    await listener.log(newestIs('dead_letter'))
    listener.answer(succeed)
    await tenant.insert({ note: 'alive' })
    const [alive, dead] = await listener.log(newestIs('delivered'))
    expect([alive?.attempts, dead?.status]).toEqual([1, 'dead_letter'])
    expect(listener.receipts).toHaveLength(maxAttempts + 1)
  })

  it('shows when it is tried again, and signs with the secret of that time', async () => {
    const listener = await world.listen(tenant, {}, failTimes(maxAttempts - 1))
    await tenant.insert()
    await listener.arrived(maxAttempts - 1)
    await change(listener, { secret: 'another' })
    const [retrying] = await listener.log(
      ([newest]) => newest?.status === 'retrying' && newest.attempts === maxAttempts - 1,
    )
    const nextAttemptAt = Date.parse(retrying?.nextAttemptAt ?? '')
    await listener.arrived(maxAttempts)
    const [first, last] = [listener.receipts[0], listener.receipts.at(-1)]
    expect(last?.at).toBeGreaterThanOrEqual(nextAttemptAt)
    if (first === undefined || last === undefined) throw new Error('receipts came')
    expect(last.body).toBe(first.body)
    expect(verifySignature(first, defaultSecret)).toBe(true)
    expect(verifySignature(last, 'another')).toBe(true)
  })

  it('follows the subscription to its new URL', async () => {
    const listener = await world.listen(tenant, {}, fail)
    await tenant.insert()
    await listener.log(newestIs('retrying'))
    await change(listener, { url: world.receiver.url('/moved') })
    const [moved] = await world.receiver.waitFor('/moved', 1)
    expect(moved?.body).toBe(listener.receipts[0]?.body)
  })

  it('is not tried again once its subscription is deleted', async () => {
    const listener = await world.listen(tenant, {}, fail)
    const control = await world.listen(tenant, {}, failTimes(2))
    await tenant.insert()
    await listener.log(newestIs('retrying'))
    expectStatus(204, await tenant.webhooks(`DELETE /${listener.id}`))
    const { length } = listener.receipts
    await control.log(newestIs('delivered'))
    expect(listener.receipts.length - length).toBeLessThanOrEqual(1)
    const after = listener.receipts.length
    await tenant.insert()
    await control.arrived(4)
    expect(listener.receipts).toHaveLength(after)
  })
})

describe('a subscription', () => {
  it('that is paused gets nothing: neither waiting deliveries nor new changes', async () => {
    const listener = await world.listen(tenant, {}, fail)
    const control = await world.listen(tenant)
    await tenant.insert({ note: 'waits' })
    await listener.log(newestIs('retrying'))
    expect((await change(listener, { active: false })).body.active).toBe(false)
    await listener.log(newestIs('paused'))
    const { length } = listener.receipts
    listener.answer(succeed)
    await tenant.insert({ note: 'meanwhile' })
    await control.log(allDelivered(2))
    expect(listener.receipts).toHaveLength(length)

    expect((await change(listener, { active: true })).body.active).toBe(true)
    await tenant.insert({ note: 'after' })
    await listener.log(allDelivered(2))
    const notes = listener.payloads.slice(length).map(({ record }) => record['note'])
    expect(notes.toSorted()).toEqual(['after', 'waits'])
  })

  it('that is created inactive gets nothing until it is active', async () => {
    const listener = await world.listen(tenant, { active: false })
    const control = await world.listen(tenant)
    await tenant.insert({ note: 'before' })
    await control.log(newestIs('delivered'))
    await change(listener, { active: true })
    await tenant.insert({ note: 'after' })
    const [first] = await listener.arrived(1)
    expect(first?.record['note']).toBe('after')
    expect(await listener.log(newestIs('delivered'))).toHaveLength(1)
  })
})
