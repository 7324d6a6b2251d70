import { expect, it } from '@jest/globals'
import { fieldRows, readableValue } from './field-rows.ts'

const record = { id: 'r7', status: 'paid', total: '12.50', note: null }

it('shows changed fields first, with their values before and after', () => {
  const before = { id: 'r7', status: 'new', total: '12.50' }
  expect(fieldRows(record, ['status', 'note', 'gone'], before)).toEqual([
    { name: 'status', isChanged: true, before: '"new"', after: '"paid"' },
    { name: 'note', isChanged: true, before: undefined, after: 'null' },
    { name: 'gone', isChanged: true, before: undefined, after: undefined },
    { name: 'id', isChanged: false, before: '"r7"', after: '"r7"' },
    { name: 'total', isChanged: false, before: '"12.50"', after: '"12.50"' },
  ])
})

it('shows only new values without the change before, whatever the names', () => {
  const hostile = JSON.parse('{"__proto__": 1}') as Record<string, unknown>
  expect(fieldRows(hostile, ['constructor'], null)).toEqual([
    { name: 'constructor', isChanged: true, before: undefined, after: undefined },
    { name: '__proto__', isChanged: false, before: undefined, after: '1' },
  ])
})

it.each([
  ['"paid"', 'paid'],
  ['"a \\"quoted\\" word"', 'a "quoted" word'],
  ['""', '""'],
  ['"  "', '"  "'],
  ['null', 'null'],
  ['12.5', '12.5'],
  ['{"a":[1]}', '{"a":[1]}'],
])('reads %s as %s', (json, text) => {
  expect(readableValue(json)).toBe(text)
})
