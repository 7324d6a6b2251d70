import { expect, it } from '@jest/globals'
import { durationIn, durationOfSeconds, secondsOf } from './duration.ts'

it.each([
  ['900', { amount: '15', unit: 'm' }],
  ['86400', { amount: '1', unit: 'd' }],
  ['90', { amount: '90', unit: 's' }],
  ['0', { amount: '0', unit: 's' }],
  ['', { amount: '', unit: 's' }],
  ['much', { amount: 'much', unit: 's' }],
] as const)('shows %j seconds as %j, and the same again', (seconds, duration) => {
  expect(durationOfSeconds(seconds)).toEqual(duration)
  expect(secondsOf(duration)).toBe(seconds)
})

it('takes a part of a unit, if it is a whole number of seconds', () => {
  expect(secondsOf({ amount: '1.5', unit: 'h' })).toBe('5400')
  expect(secondsOf({ amount: '0.5', unit: 's' })).toBe('0.5')
})

it('reads a duration of the API, and nothing else', () => {
  expect(durationIn('100ms')).toEqual({ amount: '100', unit: 'ms' })
  expect(durationIn('2d')).toEqual({ amount: '2', unit: 'd' })
  expect(durationIn('soon')).toBeNull()
})
