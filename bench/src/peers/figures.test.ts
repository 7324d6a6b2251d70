import { expect, it } from '@jest/globals'
import { mediansOfRounds } from './figures.ts'
import { fullTable } from './tables.ts'

const round = { rate: 1, cpuS: 1, cores: 1, p50: 1, p99: 1, limit: 1, repeated: 0, missing: 0 }

it('takes the median of each figure separately, and hides no loss', () => {
  const rounds = [
    { ...round, rate: 30, p99: 1, missing: 2 },
    { ...round, rate: 10, p99: 9 },
    { ...round, rate: 20, p99: 5, repeated: 1 },
  ]
  expect(mediansOfRounds(rounds)).toEqual({
    ...round,
    ...{ rate: 20, p99: 5, repeated: 1, missing: 2 },
  })
})

it('shows the limit of the machine beside each rate', () => {
  const line = { ...round, rate: 1_234.4, limit: 21_000, cpuS: 0.574 }
  expect(fullTable(['one', 'six'], [['topic', [line, { ...line, cpuS: 1 }]]])).toEqual([
    '| flat out | one: deliveries/s (limit) | one: CPU-s per 1,000 | one: p50, p99 ' +
      '| six: deliveries/s (limit) | six: CPU-s per 1,000 | six: p50, p99 |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    '| topic | 1,234/s (21,000/s) | 0.57 | 1.0 ms, 1.0 ms ' +
      '| 1,234/s (21,000/s) | 1.00 | 1.0 ms, 1.0 ms |',
  ])
})
