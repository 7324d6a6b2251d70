import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from '@jest/globals'
import type { DeliveryAttempt, DeliveryJob } from '@surehook/contracts/events'
import { aJob, anAttempt, sampleTime } from '@surehook/contracts/testing/samples'
import fc from 'fast-check'
import { createDeliveryDays } from '../src/history/rows/delivery-days.ts'
import { createDeliveryStore, type DeliveryStore } from '../src/history/write/delivery-store.ts'
import { shownDeliveries } from './support/shown-deliveries.ts'
import { useHistoryDatabase } from './support/use-history-database.ts'

const opened = useHistoryDatabase()
let store: DeliveryStore
beforeAll(() => {
  store = newStore()
})

const newStore = () => createDeliveryStore(opened.pool, createDeliveryDays(opened.pool))
/** Makes a new delivery, so that tests do not affect each other. */
function aDelivery() {
  const own = { deliveryId: randomUUID(), subscriptionId: randomUUID() }
  return {
    ...own,
    job: (change: Partial<DeliveryJob> = {}) => aJob({ ...own, ...change }),
    transition: (change: Partial<DeliveryAttempt> = {}) => anAttempt({ ...own, ...change }),
    shown: async () => (await shownDeliveries(opened.pool).newest(own.subscriptionId))[0],
    detail: () => shownDeliveries(opened.pool).detail(own),
  }
}

const createdAt = new Date(sampleTime).toISOString()

describe('the delivery log', () => {
  it('shows a job as pending', async () => {
    const delivery = aDelivery()
    await store.addJobs([delivery.job()])
    expect(await delivery.shown()).toEqual({
      id: delivery.deliveryId,
      eventId: aJob().eventId,
      status: 'pending',
      httpStatus: null,
      attempts: 0,
      createdAt,
      lastError: null,
      nextAttemptAt: null,
      redeliveryOf: null,
    })
  })

  it('shows the results of the attempts', async () => {
    const delivery = aDelivery()
    const retrying = delivery.transition({
      step: 1,
      status: 'retrying',
      httpStatus: 500,
      errorClass: 'http',
      nextAttemptAt: sampleTime + 1000,
    })
    await store.addJobs([delivery.job()])
    await store.addTransitions([retrying])
    expect(await delivery.shown()).toMatchObject({
      status: 'retrying',
      httpStatus: 500,
      attempts: 1,
      lastError: 'http',
      nextAttemptAt: new Date(sampleTime + 1000).toISOString(),
    })
    const paused = delivery.transition({
      step: 2,
      status: 'paused',
      attempted: false,
      httpStatus: null,
      at: sampleTime + 20,
    })
    await store.addTransitions([paused])
    expect(await delivery.shown()).toMatchObject({ status: 'paused', httpStatus: 500, attempts: 1 })
    await store.addTransitions([delivery.transition({ step: 3, attempts: 2, at: sampleTime + 30 })])
    expect(await delivery.shown()).toMatchObject({
      status: 'delivered',
      httpStatus: 200,
      attempts: 2,
      lastError: null,
      nextAttemptAt: null,
    })
    const attempts = (await delivery.detail())?.attemptLog
    expect(attempts?.map(({ attempt, outcome }) => [attempt, outcome])).toEqual([
      [1, 'retrying'],
      [2, 'delivered'],
    ])
  })

  it('gives the same result in any order, in any batches, however often', async () => {
    const history = (delivery: ReturnType<typeof aDelivery>): DeliveryAttempt[] => [
      delivery.transition({ step: 1, status: 'retrying', httpStatus: 500, errorClass: 'http' }),
      delivery.transition({ step: 2, status: 'paused', attempted: false, at: sampleTime + 20 }),
      delivery.transition({
        step: 3,
        status: 'retrying',
        attempts: 4,
        httpStatus: 503,
        at: sampleTime + 30,
      }),
      // The same step again after a crash, later and with another result.
      delivery.transition({
        step: 3,
        status: 'dead_letter',
        attempts: 5,
        httpStatus: 502,
        at: sampleTime + 35,
      }),
    ]
    const order = fc.record({
      ranks: fc.array(fc.nat(), { minLength: 5, maxLength: 5 }),
      repeated: fc.subarray([0, 1, 2, 3, 4]),
      together: fc.boolean(),
      restarts: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(order, async ({ ranks, repeated, together, restarts }) => {
        const delivery = aDelivery()
        const add: DeliveryStore['add'] = (entries) => (restarts ? newStore() : store).add(entries)
        const transitions = history(delivery)
        const steps = [null, ...transitions].map((entry, index) => ({
          entry,
          rank: ranks[index] ?? 0,
        }))
        steps.sort((a, b) => a.rank - b.rank)
        const sequence = [...steps, ...repeated.flatMap((index) => steps[index] ?? [])]
        if (together) {
          const entries = sequence.flatMap(({ entry }) => entry ?? [])
          await add({ jobs: [delivery.job(), delivery.job()], transitions: entries })
        }
        for (const { entry } of sequence) {
          const jobs = entry === null ? [delivery.job()] : []
          await add({ jobs, transitions: entry === null ? [] : [entry] })
        }
        expect(await delivery.shown()).toMatchObject({
          status: 'dead_letter',
          httpStatus: 502,
          attempts: 5,
        })
        const attempts = (await delivery.detail())?.attemptLog
        expect(attempts?.map(({ attempt, httpStatus }) => [attempt, httpStatus])).toEqual([
          [1, 500],
          [4, 503],
          [5, 502],
        ])
        const { rows } = await opened.pool.query('select * from delivery where id = $1', [
          delivery.deliveryId,
        ])
        expect(rows).toEqual([expect.objectContaining({ watched_table: 'orders', step: 3 })])
      }),
      { numRuns: 40 },
    )
  })

  it('keeps the bytes of a job until it was read, and then their place', async () => {
    const delivery = aDelivery()
    const body = Buffer.from([0, 1, 2, 255, 0x5c, 0x22])
    const row = async () => {
      const { rows } = await opened.pool.query(
        'select body, job_partition, job_offset from delivery where id = $1',
        [delivery.deliveryId],
      )
      return rows[0]
    }
    await store.addJobs([delivery.job({ body })])
    await store.addJobs([delivery.job({ body: Buffer.from('never') })])
    expect(await row()).toEqual({ body, job_partition: -1, job_offset: null })
    const { body: _, ...head } = delivery.job()
    const read = (offset: number) => ({ ...head, place: { partition: 3, offset } })
    await store.addJobs([read(2 ** 40)])
    await store.addJobs([read(7)])
    await store.addJobs([delivery.job({ body })])
    expect(await row()).toEqual({ body: null, job_partition: 3, job_offset: String(2 ** 40) })
  })

  it('accepts any answer of a receiver', async () => {
    const delivery = aDelivery()
    const answer = 'a\u0000b\ud800"\\{}\n'
    await store.addTransitions([delivery.transition({ answer, errorMessage: answer })])
    expect((await delivery.detail())?.attemptLog[0]?.answer).toBe('a\uFFFDb\uFFFD"\\{}\n')
  })

  it('returns the error of a delivery that was given up without an attempt', async () => {
    const delivery = aDelivery()
    const given = { status: 'dead_letter', attempted: false, attempts: 0 } as const
    await store.addTransitions([
      delivery.transition({ ...given, httpStatus: null, errorClass: 'too_large' }),
    ])
    expect(await delivery.shown()).toMatchObject({
      status: 'dead_letter',
      attempts: 0,
      lastError: 'too_large',
    })
    expect((await delivery.detail())?.attemptLog).toEqual([])
  })

  it('makes the partition of a new day once', async () => {
    const day = 86_400_000
    const stores = Array.from({ length: 5 }, () =>
      createDeliveryStore(opened.pool, createDeliveryDays(opened.pool)),
    )
    const subscriptionId = randomUUID()
    await Promise.all(
      stores.map((one, n) =>
        one.addJobs([
          aJob({ deliveryId: randomUUID(), subscriptionId, createdAt: sampleTime + 40 * day + n }),
          aJob({ deliveryId: randomUUID(), subscriptionId, createdAt: sampleTime + 41 * day + n }),
        ]),
      ),
    )
    const shown = await shownDeliveries(opened.pool).newest(subscriptionId)
    expect(shown).toHaveLength(10)
    const times = shown.map((delivery) => delivery.createdAt)
    expect(times).toEqual(times.toSorted().reverse())
  })

  it('makes the partition of a dropped day again', async () => {
    const subscriptionId = randomUUID()
    const onThatDay = { subscriptionId, createdAt: sampleTime + 50 * 86_400_000 }
    const write = (deliveryId: string) =>
      Promise.all([
        store.addJobs([aJob({ ...onThatDay, deliveryId })]),
        store.addTransitions([anAttempt({ ...onThatDay, deliveryId })]),
      ])
    await write(randomUUID())
    const dropped = new Date(onThatDay.createdAt).toISOString().slice(0, 10).replaceAll('-', '')
    await opened.pool.query(`drop table delivery_${dropped}`)
    const later = randomUUID()
    await write(later)
    expect(await shownDeliveries(opened.pool).newest(subscriptionId)).toMatchObject([
      { id: later, status: 'delivered', attempts: 1 },
    ])
  })

  it('writes whole batches, also with the same delivery many times in one', async () => {
    const subscriptionId = randomUUID()
    const jobs = Array.from({ length: 500 }, (_, n) =>
      aJob({ deliveryId: randomUUID(), subscriptionId, createdAt: sampleTime + n }),
    )
    const transitions = jobs.flatMap(({ deliveryId, createdAt: made }) =>
      [1, 2, 3].map((step) =>
        anAttempt({ deliveryId, subscriptionId, createdAt: made, step, attempts: step }),
      ),
    )
    await Promise.all([
      store.addTransitions(transitions),
      store.addJobs(jobs),
      store.addTransitions(transitions),
    ])
    const shown = await shownDeliveries(opened.pool).newest(subscriptionId, 1000)
    expect(shown).toHaveLength(500)
    expect(new Set(shown.map(({ status, attempts }) => `${status} ${attempts}`))).toEqual(
      new Set(['delivered 3']),
    )
  })

  it('writes what replicas read at the same time once, and counts it once', async () => {
    const { subscriptionId } = aDelivery()
    const at = Date.now()
    const ids = Array.from({ length: 300 }, () => ({ deliveryId: randomUUID(), subscriptionId }))
    const jobs = ids.map((own) => aJob({ ...own, createdAt: at }))
    const transitions = ids.map((own) => anAttempt({ ...own, createdAt: at, at }))
    await Promise.all([1, 2, 3].map(() => newStore().add({ jobs, transitions })))
    const { rows } = await opened.pool.query(
      `select (select count(*)::integer from delivery where subscription_id = $1) as rows,
         (select sum(delivered)::integer from attempt_stats where subscription_id = $1) as counted`,
      [subscriptionId],
    )
    expect(rows).toEqual([{ rows: 300, counted: 300 }])
  })
})
