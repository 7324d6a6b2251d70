import { expect, it } from '@jest/globals'
import fc from 'fast-check'
import { inOrder } from './record-order.ts'

type Row = { id: string; createdAt: string; updatedAt: string; [field: string]: unknown }
const rowOf = (id: string, fields: object): Row => ({ id, createdAt: '', updatedAt: '', ...fields })

/** The values of `v` in this order. */
const sorted = (values: readonly unknown[], order = 'v') =>
  inOrder<Row>(
    values.map((v, index) => rowOf(String(index).padStart(3, '0'), { v })),
    order,
  ).map(({ v }) => v)

it.each([
  ['numbers', [10, 9, -1], [-1, 9, 10]],
  ['booleans', [true, false], [false, true]],
  ['decimals', ['10.00', '9.5', '-3', '-20', '9.45'], ['-20', '-3', '9.45', '9.5', '10.00']],
  ['bigints', ['9007199254740993', '9007199254740992'], ['9007199254740992', '9007199254740993']],
  ['text', ['b', 'B', '10', '9', 'a'], ['10', '9', 'B', 'a', 'b']],
  ['text beyond the first plane', ['\u{10000}', '\uffff'], ['\uffff', '\u{10000}']],
  ['empty fields last', [null, 2, undefined, 1], [1, 2, null, undefined]],
])('orders %s as Surehook does', (_, values, expected) => {
  expect(sorted(values)).toEqual(expected)
})

it('a descending order has empty fields first, and equal ones by id', () => {
  expect(sorted([1, null, 2], '-v')).toEqual([null, 2, 1])
  const rows = ['b', 'a'].map((id) => rowOf(id, { v: 1 }))
  expect(inOrder<Row>(rows, '-v').map(({ id }) => id)).toEqual(['a', 'b'])
  expect(inOrder<Row>(rows, ['v', '-id']).map(({ id }) => id)).toEqual(['b', 'a'])
})

it('compares only the first 200 characters of text', () => {
  const long = 'x'.repeat(200)
  expect(sorted([`${long}b`, `${long}a`])).toEqual([`${long}b`, `${long}a`])
})

it('whole numbers of any length come in their order', () => {
  const numbers = fc.array(fc.bigInt({ min: -(10n ** 300n), max: 10n ** 300n }))
  fc.assert(
    fc.property(numbers, (all) => {
      const expected = [...all].sort((a, b) => Number(a > b) - Number(a < b)).map(String)
      expect(sorted(all.map(String))).toEqual(expected)
    }),
  )
})
