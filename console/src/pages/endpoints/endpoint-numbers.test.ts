import { expect, it } from '@jest/globals'
import { endpointNumbers } from './endpoint-numbers.ts'

const own = (attempts: number, delivered: number, p95: number | null) => ({
  attempts,
  counts: { delivered, retrying: attempts - delivered, deadLetter: 0, cancelled: 0 },
  latencyMs: { p50: p95, p95 },
})
const numbers = new Map([
  ['a', own(10, 9, 120)],
  ['b', own(30, 30, 80)],
  ['idle', own(0, 0, null)],
])

it.each([
  [['a'], { success: '90%', p95: '120 ms' }],
  [['a', 'b'], { success: '97.5%', p95: '≤ 120 ms' }],
  [['a', 'idle'], { success: '90%', p95: '120 ms' }],
  [['idle'], { success: '–', p95: '–' }],
  [['a', 'unread'], null],
])('adds the numbers of the webhooks %j', (webhooks, expected) => {
  expect(endpointNumbers({ webhooks }, numbers)).toEqual(expected)
})
