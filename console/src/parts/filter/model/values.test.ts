import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { type Column, columnsOf, testsOf, typeOf } from './columns.ts'
import { testOf, withField, withTest } from './edits.ts'
import type { Row } from './model.ts'
import { chipText, kindOf, kindsOf, localTimeOf, numberIn, timeOf } from './values.ts'

describe('a typed number', () => {
  it.each<[string, number | string]>([
    ['1', 1],
    [' 1.50 ', 1.5],
    ['-2e3', -2000],
    ['1.', '1.'],
    ['', ''],
    ['0x10', '0x10'],
    ['9007199254740993', '9007199254740993'],
    ['0.1234567890123456789', '0.1234567890123456789'],
    ['1e400', '1e400'],
  ])('%j is %j', (text, number) => {
    expect(numberIn(text)).toBe(number)
  })

  it('is the number that JavaScript writes', () => {
    const numbers = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 })
    fc.assert(
      fc.property(numbers, (number) => {
        expect(numberIn(String(number)) === number).toBe(true)
      }),
    )
  })
})

describe('a time', () => {
  it.each<[string, string | null]>([
    ['', ''],
    ['2026-01-31T12:00:00.000Z', '2026-01-31T12:00'],
    ['2026-01-31T12:00:05Z', '2026-01-31T12:00:05'],
    ['2026-01-31T12:00:05.25Z', '2026-01-31T12:00:05.250'],
    ['2026-01-31T12:00:05.000001Z', null],
    ['2026-01-31T12:00:00+01:00', null],
    ['2026-01-31', null],
  ])('%j has the picker %j', (value, local) => {
    expect(localTimeOf(value)).toBe(local)
  })

  it('is written as records have it', () => {
    expect(timeOf('2026-01-31T12:00')).toBe('2026-01-31T12:00:00.000Z')
    expect(timeOf('')).toBe('')
  })
})

it('tells a text from what looks like it', () => {
  const kinds = kindsOf(null, 'in')
  expect(['5', 5, 'null', null, 'paid'].map((value) => chipText(value, kinds))).toEqual([
    '"5"',
    '5',
    '"null"',
    'null',
    'paid',
  ])
  expect(chipText('5', kindsOf('text', 'in'))).toBe('5')
})

const columns: readonly Column[] = columnsOf({
  columns: [
    { name: 'total', type: 'decimal', required: false, unique: false, default: null },
    { name: 'open', type: 'boolean', required: false, unique: false, default: null },
    { name: 'name', type: 'text', required: false, unique: false, default: null },
    { name: 'doc', type: 'json', required: false, unique: false, default: null },
  ],
})
const row: Row = { kind: 'row', field: 'name', operator: 'contains', operand: '12' }

describe('a row', () => {
  it('gets the operators and values of its column', () => {
    expect(typeOf('doc.a.0', columns)).toBe('json')
    expect(testsOf('boolean')).not.toContain('gt')
    expect(kindsOf('decimal', 'eq')).toEqual(['number'])
    expect(kindsOf('decimal', 'in')).toEqual(['number', 'null'])
    expect(kindsOf(null, 'gt')).toEqual(['text', 'number'])
    expect(kindOf('12345678901234567890', ['number'])).toBe('number')
  })

  it('keeps its operator and value for another column as far as they fit', () => {
    expect(withField(row, 'doc', columns)).toEqual({ ...row, field: 'doc' })
    expect(withField(row, 'total', columns)).toEqual({
      kind: 'row',
      field: 'total',
      operator: 'eq',
      operand: 12,
    })
    expect(withField({ ...row, operand: 'x' }, 'total', columns)).toMatchObject({ operand: '' })
    expect(withField({ ...row, operand: 'x' }, 'open', columns)).toMatchObject({ operand: true })
  })

  it('tests for null without a value', () => {
    const isNull = withTest(row, 'isNull', columns)
    expect(isNull).toEqual({ ...row, operator: 'eq', operand: null })
    expect(testOf(isNull)).toBe('isNull')
    expect(withField(isNull, 'total', columns)).toEqual({ ...isNull, field: 'total' })
    expect(withTest(isNull, 'eq', columns)).toEqual({ ...row, operator: 'eq', operand: '' })
    expect(testOf(withTest(row, 'isNotNull', columns))).toBe('isNotNull')
  })

  it('keeps its value for another operator', () => {
    expect(withTest(row, 'in', columns)).toMatchObject({ operator: 'in', operand: ['12'] })
    const list: Row = { kind: 'row', field: 'name', operator: 'in', operand: [null, 'b'] }
    expect(withTest(list, 'eq', columns)).toMatchObject({ operator: 'eq', operand: 'b' })
    expect(withTest(row, 'exists', columns)).toMatchObject({ operand: true })
  })
})
