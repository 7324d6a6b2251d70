import { expect, it } from '@jest/globals'
import { milliseconds, percent, plural } from './numbers.ts'

it('never rounds a failure away', () => {
  expect([null, 1, 0.9999, 0.985, 0].map(percent)).toEqual(['–', '100%', '> 99.9%', '98.5%', '0%'])
})

it('writes durations and counts', () => {
  expect([null, 12.4, 1_530].map(milliseconds)).toEqual(['–', '12 ms', '1.5 s'])
  expect([plural(1, 'delivery', 'deliveries'), plural(1_200, 'change')]).toEqual([
    '1 delivery',
    '1,200 changes',
  ])
})
