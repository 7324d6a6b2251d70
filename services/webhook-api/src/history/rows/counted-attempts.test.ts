import { expect, it } from '@jest/globals'
import { anAttempt } from '@surehook/contracts/testing/samples'
import { countedBits, transitionsOf } from './counted-attempts.ts'
import { foldDeliveries } from './fold-deliveries.ts'

const folded = (...transitions: ReturnType<typeof anAttempt>[]) => {
  const [delivery] = foldDeliveries({ jobs: [], transitions })
  if (delivery === undefined) throw new Error('one delivery')
  return delivery
}
const countableOf = (delivery: ReturnType<typeof folded>) => delivery.countable
const attempt = (attempts: number, at = attempts) =>
  anAttempt({ attempts, step: attempts, at, status: 'retrying' })

it('has a bit for each attempt, and one for an end without an attempt', () => {
  const cancelled = anAttempt({ step: 900, attempted: false, status: 'cancelled' })
  expect(countableOf(folded(attempt(1), attempt(2)))).toBe(0b110)
  expect(countableOf(folded(attempt(1), cancelled))).toBe(2 ** 30 + 0b10)
  expect(countableOf(folded(anAttempt({ attempted: false, status: 'paused' })))).toBe(0)
  expect(countableOf(folded(attempt(500)))).toBe(2 ** 29)
  expect(countableOf(folded(attempt(0)))).toBe(0b10)
  expect(countedBits & countableOf(folded(attempt(500), cancelled))).toBe(2 ** 30 + 2 ** 29)
})

it('gives an attempt that was made twice once, and none that is not asked for', () => {
  const delivery = folded(attempt(1, 10), attempt(1, 20), attempt(2, 30))
  const times = (bits: number) => transitionsOf(delivery, bits).map(({ at }) => at)
  expect(times(countableOf(delivery))).toEqual([10, 30])
  expect(times(0b100)).toEqual([30])
  expect(times(0)).toEqual([])
})
