import { expect, it } from '@jest/globals'
import type { Cancellation } from '@surehook/contracts/events'
import fc from 'fast-check'
import { mostCancellations, withCancellation } from './cancellations.ts'

const time = fc.integer({ min: 0, max: 9 })
const cancellation = fc.record({
  status: fc.constantFrom('retrying' as const, 'paused' as const),
  until: time,
  askedAt: time,
})

const cancels = (all: readonly Cancellation[], of: Cancellation) =>
  all.some((one) => one.status === of.status && of.until <= one.until && of.askedAt <= one.askedAt)

it('cancels what each of the requests cancels, and nothing else', () => {
  fc.assert(
    fc.property(fc.array(cancellation, { maxLength: 8 }), cancellation, (asked, of) => {
      const kept = asked.reduce<Cancellation[]>((all, one) => withCancellation(all, one) ?? [], [])
      expect(cancels(kept, of)).toBe(cancels(asked, of))
    }),
  )
})

it('keeps one of those that reach up to now, and refuses too many that do not', () => {
  const until = (at: number, askedAt: number) => ({ status: 'paused' as const, until: at, askedAt })
  expect(withCancellation([until(1, 1)], until(2, 2))).toEqual([until(2, 2)])
  const many = Array.from({ length: mostCancellations }, (_, n) => until(100 - n, n))
  expect(withCancellation(many, until(1, 200))).toBeNull()
  expect(withCancellation(many, until(200, 200))).toEqual([until(200, 200)])
})
