import { randomUUID } from 'node:crypto'
import { expect, it } from '@jest/globals'
import type { DeliveryStatus } from '@surehook/contracts/events'
import { anAttempt } from '@surehook/contracts/testing/samples'
import { foldDeliveries } from '../rows/fold-deliveries.ts'
import { bucketMs, foldHours, foldStats, hourMs, hoursKeptMs } from './fold-stats.ts'
import { numbersOf, seriesOf, trendOf } from './stats-numbers.ts'

const now = 1_000 * bucketMs
const [a = '', b = ''] = [randomUUID(), randomUUID()].toSorted()

type AttemptFields = { of: string; at: number; status: DeliveryStatus; attempted?: boolean }

function fold(given: readonly AttemptFields[], bits?: number) {
  const transitions = given.map(({ of, ...rest }) =>
    anAttempt({ ...rest, subscriptionId: of, deliveryId: randomUUID(), latencyMs: 1 }),
  )
  const deliveries = foldDeliveries({ jobs: [], transitions })
  const counted = deliveries.map((one) => bits ?? one.countable)
  return foldStats(deliveries, counted, now).map(({ latencies, ...entry }) => entry)
}

const none = { attempts: 0, delivered: 0, retrying: 0, deadLetter: 0, cancelled: 0 }

it('sums by subscription and five minutes, in one order', () => {
  const last = { of: b, at: now + bucketMs, status: 'dead_letter' } as const
  expect(
    fold([
      last,
      { of: b, at: now, status: 'delivered' },
      { of: a, at: now + 1, status: 'retrying' },
      { of: a, at: now + bucketMs - 1, status: 'delivered' },
      { of: a, at: now + 2, status: 'cancelled', attempted: false },
    ]),
  ).toEqual([
    { subscriptionId: a, at: now, ...none, attempts: 2, delivered: 1, retrying: 1, cancelled: 1 },
    { subscriptionId: b, at: now, ...none, attempts: 1, delivered: 1 },
    { subscriptionId: b, at: now + bucketMs, ...none, attempts: 1, deadLetter: 1 },
  ])
})

it('leaves out what was counted before, and what is too old to be asked for', () => {
  expect(fold([{ of: a, at: now, status: 'delivered' }], 0)).toEqual([])
  expect(fold([{ of: a, at: now - hoursKeptMs - bucketMs, status: 'delivered' }])).toEqual([])
})

it('sums buckets by hour, in the same order', () => {
  const hour = 500 * hourMs
  const one = (subscriptionId: string, at: number, latencies: number[]) => ({
    ...{ subscriptionId, at, ...none, attempts: 1, delivered: 1, latencies },
  })
  const [first, second] = [one(a, hour, [1]), one(a, hour + hourMs - bucketMs, [0, 2])]
  const others = [one(a, hour + hourMs, []), one(b, hour + hourMs, [3])]
  expect(foldHours([first, second, ...others])).toEqual([
    { ...first, attempts: 2, delivered: 2, latencies: [1, 2] },
    ...others,
  ])
  expect(first.latencies).toEqual([1])
})

it('shows empty buckets too', () => {
  const row = {
    subscription_id: a,
    ...{ bucket: 1, attempts: 3, delivered: 2, retrying: 0, dead_letter: 1, cancelled: 0 },
  }
  const span = { from: 0, until: 700_000, bucketSeconds: 300 }
  const series = seriesOf([row], span)
  expect(series.map(({ at, delivered, deadLetter }) => [at, delivered, deadLetter])).toEqual([
    ['1970-01-01T00:00:00.000Z', 0, 0],
    ['1970-01-01T00:05:00.000Z', 2, 1],
    ['1970-01-01T00:10:00.000Z', 0, 0],
  ])
  expect(trendOf([row], span)).toEqual({ delivered: [0, 2, 0], failed: [0, 1, 0] })
  const other = { ...row, subscription_id: b, bucket: 2 }
  expect(seriesOf([row, other, row], span).map(({ delivered }) => delivered)).toEqual([0, 4, 2])
  expect(numbersOf([row, other])).toMatchObject({
    counts: { delivered: 4, deadLetter: 2 },
    ...{ attempts: 6, successRate: 0.6667 },
  })
})
