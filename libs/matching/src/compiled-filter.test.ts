import { expect, test } from '@jest/globals'
import { UndecodableError } from '@surehook/schemas/codec'
import { compiledFilter } from './compiled-filter.ts'

test('compiles equal filters once', () => {
  const filter = '{"not":{"a":1}}'
  expect(compiledFilter(`${filter} `.trim())).toBe(compiledFilter(filter))
})

test.each(['{"status":', '{"status":{"gtx":1}}', '[]'])('refuses %s each time', (filter) => {
  expect(() => compiledFilter(filter)).toThrow(UndecodableError)
  expect(() => compiledFilter(filter)).toThrow(UndecodableError)
})
