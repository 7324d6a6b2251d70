import { expect, it } from '@jest/globals'
import { modeOf } from './service-catalog.ts'

it.each([
  [undefined, 'single'],
  ['', 'single'],
  ['single', 'single'],
  ['separate', 'separate'],
])('SUREHOOK_MODE=%s runs the services as %s', (asked, mode) => {
  expect(modeOf({ SUREHOOK_MODE: asked })).toBe(mode)
})

it('refuses another SUREHOOK_MODE', () => {
  expect(() => modeOf({ SUREHOOK_MODE: 'both' })).toThrow(
    'SUREHOOK_MODE is "separate" or "single", not "both"',
  )
})
