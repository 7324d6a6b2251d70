import { expect, it } from '@jest/globals'
import { hourMarks, scaleOf } from './chart-scale.ts'

it.each([
  [0, [0, 1, 2, 3, 4]],
  [1, [0, 1, 2, 3, 4]],
  [5, [0, 2, 4, 6]],
  [37, [0, 10, 20, 30, 40]],
  [101, [0, 50, 100, 150]],
  [8_000, [0, 2_000, 4_000, 6_000, 8_000]],
])('draws lines at round numbers up to %i attempts', (most, ticks) => {
  expect(scaleOf(most)).toEqual({ top: ticks.at(-1), ticks })
})

it('marks every fourth hour, and none at an edge', () => {
  const times = Array.from({ length: 97 }, (_, n) => new Date(2026, 0, 1, 0, n * 15))
  expect(hourMarks(times)).toEqual([
    { index: 16, text: '04:00' },
    { index: 32, text: '08:00' },
    { index: 48, text: '12:00' },
    { index: 64, text: '16:00' },
    { index: 80, text: '20:00' },
  ])
})
