import { expect, it } from '@jest/globals'
import { deadLetterLevel, deadLetterPercent } from './dead-letter-level.ts'

it.each([
  [0, 0, 'ok'],
  [1_000, 1, 'ok'],
  [99, 1, 'warn'],
  [79, 21, 'wrong'],
  [0, 1, 'wrong'],
])('%i delivered and %i dead letters are %s', (delivered, deadLetter, level) => {
  expect(deadLetterLevel({ delivered, deadLetter })).toBe(level)
})

it('tells the share of those that ended', () => {
  expect(deadLetterPercent({ delivered: 79, deadLetter: 21 })).toBe('21%')
})
