import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { filterJson, row } from '../../test/filter-arbitraries.ts'
import { compileFilter } from './compile-filter.ts'
import { failureIn, firstFailure } from './first-failure.ts'
import { parseFilter } from './parse-filter.ts'

describe('firstFailure', () => {
  const record = { status: 'open', total: 5, address: { city: 'Bonn' } }

  test.each<[Record<string, unknown>, string | null]>([
    [{}, null],
    [{ status: 'open', total: { gt: 4, lt: 6 } }, null],
    [{ status: 'paid' }, 'status'],
    [{ status: 'open', total: { gt: 4, lt: 5 } }, 'total.lt'],
    [{ 'address.city': { in: ['Berlin'] } }, 'address.city.in'],
    [{ and: [{ status: 'open' }, { total: { gte: 9 } }] }, 'and.1.total.gte'],
    [{ and: [{ status: 'open' }, { and: [{ total: 4 }] }] }, 'and.1.and.0.total'],
    [{ or: [{ status: 'paid' }, { total: 6 }] }, 'or'],
    [{ not: { status: 'open' } }, 'not'],
    [{ changed: ['total'] }, 'changed'],
    [{ changed: ['status'], total: 1 }, 'total'],
  ])('of %j is at %j', (filter, path) => {
    expect(firstFailure(filter, { record, changedFields: ['status'] })).toBe(path)
  })

  test('names what the condition tests, by the types of the table', () => {
    const fields = new Map([['total', 'decimal']] as const)
    const of = { record: { total: '10.50' }, changedFields: [] }
    expect(failureIn({ total: 10.5 }, of, { fields })).toBeNull()
    expect(failureIn({ and: [{ total: { gt: '11' } }] }, of, { fields })).toEqual({
      path: 'and.0.total.gt',
      test: { field: 'total', operand: '11' },
    })
    expect(failureIn({ or: [{ total: 1 }] }, of, { fields })).toEqual({ path: 'or' })
  })

  test('is there exactly when the filter does not match', () => {
    fc.assert(
      fc.property(filterJson, row, fc.subarray(['t', 'n']), (filter, values, changedFields) => {
        const parsed = parseFilter(filter)
        fc.pre(parsed.ok)
        if (!parsed.ok) return
        const matches = compileFilter(parsed.filter)(values, changedFields)
        const failure = firstFailure(filter as Record<string, unknown>, {
          record: values,
          changedFields,
        })
        expect(failure === null).toBe(matches)
      }),
    )
  })
})
