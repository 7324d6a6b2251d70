import { expect, it } from '@jest/globals'
import { type Numbers, sumOf } from './day.ts'

const bucket = (at: string, delivered: number) => ({
  at,
  delivered,
  retrying: 1,
  deadLetter: 0,
  cancelled: 0,
})

const statsOf = (series: Numbers['series']): Numbers => ({
  counts: { delivered: 3, retrying: 2, deadLetter: 1, cancelled: 0 },
  attempts: 6,
  series,
})

it('adds webhooks bucket by bucket, without changing what it adds', () => {
  const [first, second] = [statsOf([bucket('b', 2), bucket('a', 1)]), statsOf([bucket('b', 5)])]
  const day = sumOf([first, second])
  expect(day).toMatchObject({ attempts: 12, delivered: 6, failed: 6, deadLetters: 2 })
  expect(day.series.map(({ at, delivered, retrying }) => [at, delivered, retrying])).toEqual([
    ['a', 1, 1],
    ['b', 7, 2],
  ])
  expect(first.series[0]?.delivered).toBe(2)
})

it('is zero for no webhook', () => {
  expect(sumOf([])).toMatchObject({ attempts: 0, series: [] })
})
