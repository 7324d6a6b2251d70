import { expect, it } from '@jest/globals'
import fc from 'fast-check'
import { jsonRanges } from './json-ranges.ts'

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
