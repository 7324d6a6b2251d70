import { expect, it } from '@jest/globals'
import { bytes, milliseconds, percent, plural } from './numbers.ts'

it('never rounds a failure away', () => {
  expect([null, 1, 0.9999, 0.985, 0].map(percent)).toEqual(['–', '100%', '> 99.9%', '98.5%', '0%'])
})

it('writes durations, sizes and counts', () => {
  expect([0, 512, 1_536, 3 * 1024 ** 3].map(bytes)).toEqual(['0 B', '512 B', '1.5 KiB', '3.0 GiB'])
  expect([null, 12.4, 1_530].map(milliseconds)).toEqual(['–', '12 ms', '1.5 s'])
  expect([plural(1, 'delivery', 'deliveries'), plural(1_200, 'change')]).toEqual([
    '1 delivery',
    '1,200 changes',
  ])
})
