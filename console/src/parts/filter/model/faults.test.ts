import { describe, expect, it } from '@jest/globals'
import type { JsonObject } from '../../forms/json-object.ts'
import { faultsOf, unfinishedIn } from './faults.ts'
import { modelOf } from './model-of.ts'

const filter: JsonObject = {
  status: 'paid',
  total: { gte: 1, in: [1, 'x'] },
  or: [{ a: 1 }, { b: { gt: null }, c: 1 }],
  not: { or: [{ 'lines.sku': 1 }] },
}

function placed(field: string, root = 'filter') {
  const read = modelOf(filter)
  if (!read.isShown) throw new Error(read.why)
  const violations = [{ field, message: 'is wrong' }]
  return [...faultsOf(violations, { root, places: read.places })]
}

const fault = (address: string, more: object = {}) => [
  [address, [{ message: 'is wrong', isField: false, index: null, ...more }]],
]

describe('a violation', () => {
  it.each([
    ['filter.status', fault('0')],
    ['filter.total.gte', fault('1')],
    ['filter.total', fault('1', { isField: true })],
    ['filter.total.in.1', fault('2', { index: 1 })],
    ['filter.or.0.a', fault('3.0')],
    ['filter.or.1.b.gt', fault('3.1.0')],
    ['filter.or.1.c', fault('3.1.1')],
    ['filter.or.1', fault('3.1')],
    ['filter.or', fault('3')],
    ['filter.not.or.0.lines.sku', fault('4.0')],
    ['filter', fault('')],
    ['filter.lost.gt', fault('', { message: 'lost.gt is wrong' })],
    ['url', []],
  ])('of %s stands at its member', (field, expected) => {
    expect(placed(field)).toEqual(expected)
  })

  it('of a query has another root', () => {
    expect(placed('where.or.0.a', 'where')).toEqual(fault('3.0'))
  })
})

it('is about the column if the API does not know it', () => {
  const violations = [{ field: 'filter.a', message: 'is wrong', rule: 'unknown_field' }]
  const places = new Map([['0', { path: 'a', field: 'a' }]])
  expect(faultsOf(violations, { root: 'filter', places }).get('0')?.[0]?.isField).toBe(true)
})

it('names what is not finished, where the API would', () => {
  const unfinished: JsonObject = {
    and: [{ '': { gt: 1 } }, { or: [] }, { changed: [] }, { not: { or: [] } }, { a: 1 }],
  }
  expect(unfinishedIn(unfinished, 'filter')).toEqual([
    { field: 'filter.and.0.', message: 'needs a column', rule: 'unknown_field' },
    { field: 'filter.and.1.or', message: 'needs a condition' },
    { field: 'filter.and.2.changed', message: 'needs a column' },
    { field: 'filter.and.3.not', message: 'needs a condition' },
  ])
  expect(unfinishedIn({ '': '' }, 'filter')).toMatchObject([
    { field: 'filter', message: 'needs a column' },
  ])
})
