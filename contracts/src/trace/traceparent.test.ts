import { expect, test } from '@jest/globals'
import { isTraceparent, traceparentOf } from './traceparent.ts'

const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
const span = '00f067aa0ba902b7'

test.each([`00-${trace}-${span}-01`, `01-${trace}-${span}-00`])('%s is a traceparent', (text) => {
  expect(isTraceparent(text)).toBe(true)
})

test.each([
  '',
  't',
  `00-${trace}-${span}`,
  `00-${trace}-${span}-01\n`,
  `00-${trace}-${span}-01-more`,
  `00-${trace.toUpperCase()}-${span}-01`,
  `00-${'0'.repeat(32)}-${span}-01`,
  `00-${trace}-${'0'.repeat(16)}-01`,
  `ff-${trace}-${span}-01`,
])('%j is not a traceparent', (text) => {
  expect(isTraceparent(text)).toBe(false)
})

test('reads the traceparent of a record, unless it is malformed', () => {
  const sentBy = `00-${trace}-${span}-01`
  expect(traceparentOf({ traceparent: Buffer.from(sentBy) })).toBe(sentBy)
  expect(traceparentOf({ traceparent: sentBy })).toBe(sentBy)
  expect(traceparentOf({ traceparent: Buffer.from('t') })).toBeNull()
  expect(traceparentOf({ traceparent: [sentBy, sentBy] })).toBeNull()
  expect(traceparentOf({ other: sentBy })).toBeNull()
  expect(traceparentOf(undefined)).toBeNull()
})
