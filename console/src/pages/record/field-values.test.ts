import { expect, it } from '@jest/globals'
import { hintOf, jsonIn, jsonTextOf, scalarOf, unsetOf, withField } from './field-values.ts'

const column = { name: 'a', unique: false, required: false, default: null }
const text = { ...column, type: 'text' } as const
const decimal = { ...column, type: 'decimal' } as const

it('takes an empty control for the default of a new record, and for null later', () => {
  expect([unsetOf(text, true), unsetOf(text, false)]).toEqual([undefined, null])
  expect([unsetOf(decimal, true), unsetOf(decimal, false)]).toEqual([undefined, null])
  expect(unsetOf({ ...text, required: true }, true)).toBe('')
})

it.each([
  [text, true, 'text. Empty: null'],
  [{ ...text, default: 'new' }, true, 'text. Empty: "new"'],
  [{ ...text, default: 'new' }, false, 'text. Empty: null'],
  [{ ...decimal, required: true }, true, 'decimal, required'],
  [{ ...decimal, required: true, default: 0 }, true, 'decimal, required. Empty: 0'],
] as const)('says what a column takes: %j, new: %j', (given, isNew, hint) => {
  expect(hintOf(given, isNew)).toBe(hint)
})

it('takes a field away that has no value', () => {
  expect(withField({ a: 1, b: 2 }, 'a', undefined)).toEqual({ b: 2 })
  expect(withField({ b: 2 }, 'a', null)).toEqual({ b: 2, a: null })
})

it('shows every value, and loses no digit', () => {
  expect([scalarOf(7), scalarOf('0.10'), scalarOf(null), scalarOf([1])]).toEqual([
    ...[7, '0.10', '', '[1]'],
  ])
})

it('reads JSON, and nothing that is not', () => {
  expect(jsonIn(jsonTextOf({ a: [1] }))).toEqual({ value: { a: [1] } })
  expect(jsonIn(jsonTextOf(null))).toEqual({ value: '' })
  expect(jsonIn('{')).toBeNull()
})
