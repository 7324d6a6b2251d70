import { describe, expect, test } from '@jest/globals'
import type { ChangeEvent } from '@surehook/contracts/events'
import { aChange, aSubscription } from '@surehook/contracts/testing/samples'
import fc from 'fast-check'
import { SubscriptionIndex } from './index/subscription-index.ts'
import { mismatchOf } from './mismatch.ts'
import type { Change } from './read-change.ts'

function toChange(change: Partial<ChangeEvent> = {}): Change {
  const event = aChange(change)
  return { event, record: JSON.parse(event.record), walPosition: null, loggedAt: 0 }
}

describe('mismatchOf', () => {
  test.each([
    [{}, {}, null],
    [{}, { projectId: 'other' }, 'tenant'],
    [{}, { environment: 'other' }, 'tenant'],
    [{}, { table: 'invoices' }, 'table'],
    [{ events: ['INSERT' as const] }, {}, 'events'],
    [{ filter: '{"status":"paid","amount":{"gt":9}}' }, {}, null],
    [{ filter: '{"status":"paid","amount":{"gt":11}}' }, {}, 'filter'],
  ])('of %j and the change %j is %j', (watch, change, mismatch) => {
    expect(mismatchOf(aSubscription(watch))(toChange(change))).toEqual(mismatch)
  })

  test("agrees with the matcher's index for every change", () => {
    const filters = [
      null,
      '{"status":"paid"}',
      '{"amount":{"gte":2}}',
      '{"or":[{"status":"open"},{"changed":["status"]}]}',
      '{"status":{"in":["open",null]},"amount":1}',
      '{"not":{"status":"paid"}}',
    ]
    const change = fc.record({
      operation: fc.constantFrom('INSERT' as const, 'UPDATE' as const, 'DELETE' as const),
      table: fc.constantFrom('orders', 'invoices'),
      environment: fc.constantFrom('master', 'test'),
      record: fc
        .record(
          { status: fc.constantFrom('paid', 'open', null), amount: fc.integer({ min: 0, max: 3 }) },
          { requiredKeys: [] },
        )
        .map((record) => JSON.stringify(record)),
    })
    fc.assert(
      fc.property(
        change,
        fc.constantFrom(...filters),
        fc.subarray(['INSERT', 'UPDATE'] as const, { minLength: 1 }),
        (given, filter, events) => {
          const state = aSubscription({ filter, events })
          const index = new SubscriptionIndex()
          index.apply(state.id, state)
          const one = toChange(given)
          expect(mismatchOf(state)(one) === null).toBe(index.match(one).length === 1)
        },
      ),
    )
  })
})
