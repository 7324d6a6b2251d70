import { expect, it } from '@jest/globals'
import fc from 'fast-check'
import { jsonRanges } from './json-ranges.ts'
import { marksOf } from './marks.ts'

const text = `{
  "status": "paid",
  "to\\u0074al": { "gte": 1, "in": [1, "x"] },
  "or": [{ "a": null }, {}]
}`

it.each([
  ['', '{'],
  ['status', '"status": "paid"'],
  ['total', '"to\\u0074al"'],
  ['total.gte', '"gte": 1'],
  ['total.in', '"in"'],
  ['total.in.1', '"x"'],
  ['or.0.a', '"a": null'],
  ['or.1', '{'],
])('finds %j', (path, part) => {
  const { from, to } = jsonRanges(text).get(path) ?? { from: 0, to: 0 }
  expect(text.slice(from, to)).toBe(part)
})

it('reads any text without a failure', () => {
  fc.assert(
    fc.property(fc.oneof(fc.json(), fc.string()), (any) => {
      for (const { from, to } of jsonRanges(any).values()) expect(from).toBeLessThan(to)
    }),
  )
})

it('marks violations at their line, or at what contains them', () => {
  const violations = ['filter.total.in.1', 'filter.or.1.lost.gt', 'filter', 'url'].map((field) => ({
    field,
    message: 'is wrong',
  }))
  const marks = marksOf(text, { violations, root: 'filter' })
  expect(marks.map(({ line, from, to }) => [line, text.slice(from, to)])).toEqual([
    [3, '"x"'],
    [4, '{'],
    [1, '{'],
  ])
  expect(marksOf('', { violations, root: 'filter' })[0]).toMatchObject({ from: 0, to: 0, line: 1 })
})
