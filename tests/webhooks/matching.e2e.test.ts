import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { EventPayload } from '@surehook/contracts/events/event-payload'
import { expectStatus, type Fields } from '@surehook/scripts/client/call'
import type { Tenant } from '@surehook/scripts/client/tenant'
import { type Listener } from '../support/listening-world.ts'
import {
  openSharedListeningWorld,
  type SharedListeningWorld,
} from '../support/shared/shared-world.ts'
import { eventually } from '../support/world.ts'

let world: SharedListeningWorld
let tenant: Tenant
/** Receives everything: once it has a change, the change has been matched. */
let control: Listener

beforeAll(async () => {
  world = await openSharedListeningWorld()
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})
beforeEach(async () => {
  tenant = await world.tenant()
  control = await world.listen(tenant)
})

const change = async ({ id }: Fields, fields: object) =>
  expectStatus(200, await tenant.rest(`PATCH orders/${id}`, fields)).body
const remove = async ({ id }: Fields) => expectStatus(200, await tenant.rest(`DELETE orders/${id}`))

const inBrief = ({ event, record }: EventPayload) => `${event} ${record['status']}`

/**
 * Returns exactly what `listener` gets for the `changes` that `act` makes. The record of `last`
 * marks the end, because an endpoint gets earlier matches earlier.
 */
async function getsOf(
  listener: Listener,
  {
    act,
    changes,
    last,
  }: { act: () => Promise<unknown>; changes: number; last: () => Promise<Fields> },
) {
  await act()
  await control.arrived(changes)
  const { id } = await last()
  const isLast = ({ record }: EventPayload) => record['id'] === id
  await eventually(async () => listener.payloads.some(isLast), Boolean)
  await allDelivered(listener, listener.receipts.length)
  return listener.payloads.filter((payload) => !isLast(payload)).map(inBrief)
}

/** Checks that there are exactly `count` deliveries, all delivered. */
async function allDelivered(listener: Listener, count: number): Promise<void> {
  const log = await listener.log(
    (all) => all.length >= count && all.every(({ status }) => status === 'delivered'),
  )
  expect(log).toHaveLength(count)
}

describe('events', () => {
  const statusOf = { INSERT: 'new', UPDATE: 'paid', DELETE: 'paid' }

  it.each(['INSERT', 'UPDATE', 'DELETE'] as const)(
    '%s alone, when only it is listed',
    async (kind) => {
      const listener = await world.listen(tenant, { events: [kind] })
      const all = async () => {
        const record = await tenant.insert({ status: 'new' })
        await remove(await change(record, { status: 'paid' }))
        return record
      }
      const got = await getsOf(listener, { act: all, changes: 3, last: all })
      expect(got).toEqual([`${kind} ${statusOf[kind]}`])
    },
  )

  it('of several kinds, when they are listed', async () => {
    const listener = await world.listen(tenant, { events: ['DELETE', 'INSERT'] })
    const record = await tenant.insert({ status: 'new' })
    await remove(await change(record, { status: 'paid' }))
    await control.arrived(3)
    expect((await listener.arrived(2)).map(inBrief)).toEqual(['INSERT new', 'DELETE paid'])
  })

  it('one for each record of an array', async () => {
    const records = [{ n: 1 }, { n: 2 }, { n: 3 }]
    expectStatus(201, await tenant.rest('POST orders', records))
    const payloads = await control.arrived(3)
    expect(payloads.map(({ record }) => record['n']).toSorted()).toEqual([1, 2, 3])
    expect(new Set(payloads.map(({ id }) => id)).size).toBe(3)
  })

  it('none for a refused change, and none for a PATCH that changes nothing', async () => {
    const listener = await world.listen(tenant)
    const got = await getsOf(listener, {
      act: async () => {
        const record = await tenant.insert({ status: 'new' })
        await change(record, { status: 'new' })
        const refused = [
          await tenant.rest('POST orders', [{ n: 1 }, { n: 'no number' }]),
          await tenant.rest(`PATCH orders/${record.id}`, { nope: 1 }),
          await tenant.rest('DELETE orders/018f3c1e-7b7a-7c3f-8a44-0242ac120002'),
        ]
        expect(refused.map(({ status }) => status)).toEqual([400, 400, 404])
      },
      changes: 1,
      last: () => tenant.insert(),
    })
    expect(got).toEqual(['INSERT new'])
    expect(control.receipts).toHaveLength(2)
  })

  it('only of the watched table', async () => {
    await tenant.putTable('invoices')
    const listener = await world.listen(tenant, { table: 'invoices' })
    await tenant.insert({ status: 'order' })
    await control.arrived(1)
    await tenant.insert({ status: 'invoice' }, 'invoices')
    expect((await listener.arrived(1)).map(inBrief)).toEqual(['INSERT invoice'])
    expect(control.payloads.map(inBrief)).toEqual(['INSERT order'])
  })

  it('a separate copy for every subscription', async () => {
    const listeners = [await world.listen(tenant), await world.listen(tenant), control]
    await tenant.insert({ status: 'new' })
    await Promise.all(listeners.map((listener) => listener.arrived(1)))
    const eventIds = listeners.map(({ payloads }) => payloads[0]?.id)
    expect(new Set(eventIds).size).toBe(1)
    const webhookIds = listeners.map(({ receipts }) => receipts[0]?.headers['webhook-id'])
    expect(new Set(webhookIds).size).toBe(3)
  })

  it('from before the subscription are not sent', async () => {
    await tenant.insert({ status: 'before' })
    await control.arrived(1)
    const listener = await world.listen(tenant)
    await tenant.insert({ status: 'after' })
    expect((await listener.arrived(1)).map(inBrief)).toEqual(['INSERT after'])
  })
})

describe('filter', () => {
  it('lets through records that match after the change, or before their deletion', async () => {
    const listener = await world.listen(tenant, { filter: { status: 'paid' } })
    const got = await getsOf(listener, {
      act: async () => {
        const record = await tenant.insert({ status: 'new' })
        await change(record, { status: 'paid' })
        await change(record, { n: 1 })
        await change(record, { status: 'sent' })
        await remove(record)
        await remove(await tenant.insert({ status: 'paid' }))
      },
      changes: 7,
      last: () => tenant.insert({ status: 'paid' }),
    })
    expect(got).toEqual(['UPDATE paid', 'UPDATE paid', 'INSERT paid', 'DELETE paid'])
  })

  it.each([
    [{ n: { gte: 3, lt: 5 } }, [3, 4]],
    [{ n: { in: [1, 9] } }, [1, 9]],
    [{ or: [{ n: 2 }, { status: { startsWith: 'x' } }] }, [2, 7]],
    [{ not: { n: { gt: 1 } } }, [1]],
    [{ and: [{ status: { contains: 'odd' } }, { n: { ne: 9 } }] }, [1, 3, 5]],
    [{ note: { exists: true } }, [5]],
    [{ note: null, n: { lte: 2 } }, [1, 2]],
  ])('%j', async (filter, expected) => {
    const listener = await world.listen(tenant, { filter })
    const records = [1, 2, 3, 4, 5, 7, 9].map((n) => ({
      n,
      status: { 7: 'x', 9: 'odd' }[n] ?? (n % 2 === 0 ? 'even' : 'odd'),
      note: n === 5 ? 'five' : null,
    }))
    expectStatus(201, await tenant.rest('POST orders', records))
    await control.arrived(records.length)
    await listener.arrived(expected.length)
    await allDelivered(listener, expected.length)
    const numbers = listener.payloads.map(({ record }) => record['n'])
    expect(numbers.toSorted()).toEqual(expected)
  })

  it('matches the fields that an UPDATE changed', async () => {
    const listener = await world.listen(tenant, { filter: { changed: ['n', 'note'] } })
    const got = await getsOf(listener, {
      act: async () => {
        const record = await tenant.insert({ status: 'new', n: 1 })
        await change(record, { status: 'paid' })
        await change(record, { status: 'sent', n: 2 })
      },
      changes: 3,
      last: async () => change(await tenant.insert({ n: 1 }), { n: 2 }),
    })
    expect(got).toEqual(['UPDATE sent'])
  })
})
