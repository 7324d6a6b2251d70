import { expect, it } from '@jest/globals'
import { themeIn } from './theme.ts'

it.each([
  ['light', 'light'],
  ['dark', 'dark'],
  ['system', 'system'],
  ['blue', 'system'],
  ['', 'system'],
  [null, 'system'],
  [undefined, 'system'],
])('takes %j for %s', (text, expected) => {
  expect(themeIn(text)).toBe(expected)
})
