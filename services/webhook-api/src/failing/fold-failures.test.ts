import { describe, expect, test } from '@jest/globals'
import { anAttempt } from '@surehook/contracts/testing/samples'
import { foldFailures } from './fold-failures.ts'

const failure = (at: number, change = {}) => anAttempt({ at, status: 'retrying', ...change })
const success = (at: number, change = {}) => anAttempt({ at, status: 'delivered', ...change })
const { subscriptionId } = anAttempt()

describe('foldFailures', () => {
  test.each([
    [[failure(1), failure(5), failure(3)], null, { since: 1, at: 5 }],
    [[failure(1), success(2)], 2, null],
    [[success(2), failure(1)], 2, null],
    [[failure(1), failure(5), success(2), failure(4)], 2, { since: 4, at: 5 }],
    [[success(9), success(3)], 9, null],
  ])('keeps the last success and the failures after it, in any order: %#', (...given) => {
    const [transitions, succeededAt, failed] = given
    expect(foldFailures(transitions)).toEqual([{ subscriptionId, succeededAt, failed }])
  })

  test('counts only attempts', () => {
    expect(foldFailures([failure(1, { attempted: false, status: 'paused' })])).toEqual([])
  })

  test('separates subscriptions, in the order of their ids', () => {
    const folded = foldFailures([
      failure(1, { subscriptionId: 'b' }),
      success(2, { subscriptionId: 'a' }),
    ])
    expect(folded).toEqual([
      { subscriptionId: 'a', succeededAt: 2, failed: null },
      { subscriptionId: 'b', succeededAt: null, failed: { since: 1, at: 1 } },
    ])
  })
})
