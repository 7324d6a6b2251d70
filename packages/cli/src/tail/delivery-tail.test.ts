import { describe, expect, it } from '@jest/globals'
import type { Delivery, DeliveryQuery, FoundDelivery } from '@surehook/client'
import fc from 'fast-check'
import { DeliveryTail, type TailSource } from './delivery-tail.ts'

const startedAt = Date.parse('2026-11-25T12:00:00Z')
const overlapMs = 10_000

/** One delivery of a scenario, in seconds since the start. */
type DeliveryCourse = {
  madeAt: number
  lagS: number
  path: readonly Delivery['status'][]
  stepS: number
}

/** A history that shows each delivery `lagS` after it was made, and moves on with `now`. */
class History implements TailSource {
  now = 0
  fails = false
  readonly #planned: readonly DeliveryCourse[]

  constructor(planned: readonly DeliveryCourse[]) {
    this.#planned = planned
  }

  get shown(): FoundDelivery[] {
    return this.#planned
      .map((plan, index) => ({ plan, delivery: this.#at(plan, index) }))
      .filter(({ plan }) => plan.madeAt + plan.lagS <= this.now)
      .map(({ delivery }) => delivery)
      .toSorted((a, b) => b.createdAt.localeCompare(a.createdAt))
  }

  async *search({ status, since, until, table, limit }: DeliveryQuery) {
    if (this.fails) throw new Error('away')
    const found = this.shown.filter(
      (delivery) =>
        (status === undefined || delivery.status === status) &&
        (since === undefined || delivery.createdAt >= since) &&
        (until === undefined || delivery.createdAt < until) &&
        (table === undefined || delivery.table === table),
    )
    for (const delivery of limit === undefined ? found : found.slice(0, limit)) yield delivery
  }

  async get({ id }: FoundDelivery) {
    return this.shown.find((delivery) => delivery.id === id) ?? null
  }

  #at({ madeAt, path, stepS }: DeliveryCourse, index: number): FoundDelivery {
    const step = Math.min(path.length - 1, Math.max(0, Math.floor((this.now - madeAt) / stepS)))
    return {
      id: `d${index}`,
      webhookId: 'w',
      webhookName: null,
      eventId: `e${index}`,
      status: path[step] ?? 'pending',
      httpStatus: null,
      attempts: step,
      createdAt: new Date(startedAt + madeAt * 1_000).toISOString(),
      lastError: null,
      nextAttemptAt: null,
      redeliveryOf: null,
      table: index % 2 === 0 ? 'orders' : 'invoices',
      event: 'INSERT',
      recordId: null,
    }
  }
}

const paths = fc.constantFrom<readonly Delivery['status'][]>(
  ['delivered'],
  ['pending', 'delivered'],
  ['pending', 'retrying', 'paused', 'retrying', 'dead_letter'],
  ['pending', 'paused', 'cancelled'],
  ['pending', 'retrying'],
)
const planned = fc.record({
  madeAt: fc.integer({ min: -60, max: 60 }),
  lagS: fc.integer({ min: 0, max: overlapMs / 1_000 }),
  path: paths,
  stepS: fc.integer({ min: 1, max: 20 }),
})

const hasEnded = ({ status }: Delivery) => /^(?:delivered|dead_letter|cancelled)$/.test(status)
const idsOf = (deliveries: readonly FoundDelivery[]) => deliveries.map(({ id }) => id)

describe('DeliveryTail', () => {
  it('finds each delivery that ends after the first poll, once, whatever fails meanwhile', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(planned, { maxLength: 12 }),
        fc.array(fc.boolean(), { minLength: 170, maxLength: 170 }),
        async (plans, failures) => {
          const history = new History(plans)
          const tail = new DeliveryTail(history, { overlapMs })
          await tail.poll()
          const before = new Set(idsOf(history.shown.filter(hasEnded)))
          const found: FoundDelivery[] = []
          for (history.now = 1; history.now <= 170; history.now++) {
            history.fails = history.now < 170 && (failures[history.now - 1] ?? false)
            await tail.poll().then(
              (ended) => void found.push(...ended),
              (err: Error) => expect(err.message).toBe('away'),
            )
          }
          const expected = idsOf(history.shown.filter(hasEnded)).filter((id) => !before.has(id))
          expect(idsOf(found).toSorted()).toEqual(expected.toSorted())
          expect(found.every(hasEnded)).toBe(true)
        },
      ),
      { numRuns: 200 },
    )
  })

  it('begins with those that were made since a time', async () => {
    const plan = { lagS: 0, path: ['delivered'] as const, stepS: 1 }
    const history = new History([-600, -300, -30].map((madeAt) => ({ ...plan, madeAt })))
    const tail = new DeliveryTail(history, { since: startedAt - 400_000, overlapMs })
    expect(idsOf(await tail.poll())).toEqual(['d1', 'd2'])
    expect(await tail.poll()).toEqual([])
  })

  it('finds only deliveries of a table, also while others go on', async () => {
    const plan = { lagS: 0, path: ['pending', 'delivered'] as const, stepS: 5 }
    const history = new History([1, 2, 30, 31].map((madeAt) => ({ ...plan, madeAt })))
    const tail = new DeliveryTail(history, { table: 'invoices', overlapMs })
    const found: FoundDelivery[] = []
    for (history.now = 0; history.now < 60; history.now++) found.push(...(await tail.poll()))
    expect(idsOf(found)).toEqual(['d1', 'd3'])
  })

  it('follows only the newest open deliveries, and knows that it has forgotten others', async () => {
    const plan = { lagS: 0, path: ['paused', 'delivered'] as const, stepS: 200 }
    const history = new History([-140, -130, -120, -110].map((madeAt) => ({ ...plan, madeAt })))
    const all = new DeliveryTail(history, { overlapMs: 0, mostOpen: 4 })
    const few = new DeliveryTail(history, { overlapMs: 0, mostOpen: 2 })
    expect([await all.poll(), await few.poll()]).toEqual([[], []])
    expect([all.hasForgotten, few.hasForgotten]).toEqual([false, true])
    history.now = 100
    expect(idsOf(await all.poll())).toEqual(['d0', 'd1', 'd2', 'd3'])
    expect(idsOf(await few.poll())).toEqual(['d2', 'd3'])
  })

  it('forgets open deliveries of a deleted subscription', async () => {
    const history = new History([
      { madeAt: -100, lagS: 0, path: ['paused'], stepS: 1 },
      { madeAt: -1, lagS: 0, path: ['delivered'], stepS: 1 },
    ])
    const tail = new DeliveryTail(history, { overlapMs })
    await tail.poll()
    const left = history.shown.filter(({ id }) => id !== 'd0')
    Object.defineProperty(history, 'shown', { value: left })
    expect(await tail.poll()).toEqual([])
  })

  it('keeps a delivery that changes its open status between the searches', async () => {
    const history = new History([
      { madeAt: -100, lagS: 0, path: ['retrying', 'paused', 'delivered'], stepS: 100 },
      { madeAt: -1, lagS: 0, path: ['delivered'], stepS: 1 },
    ])
    const tail = new DeliveryTail(history, { overlapMs })
    await tail.poll()
    const search = history.search.bind(history)
    history.search = async function* (query) {
      // The search for `paused` sees it retrying, and the search for `retrying` sees it paused.
      if (query.status === undefined) yield* search(query)
    }
    expect(await tail.poll()).toEqual([])
    history.now = 150
    expect(idsOf(await tail.poll())).toEqual(['d0'])
  })
})
