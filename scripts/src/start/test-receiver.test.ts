import { expect, it } from '@jest/globals'
import { statusIn } from './test-receiver.ts'

it.each([
  ['/', 204],
  ['/?status=503', 503],
  ['/hooks?a=1&status=410', 410],
  ['/?status=101', 204],
  ['/?status=1e9', 204],
  ['/?status=x', 204],
])('answers %s with %d', (url, status) => {
  expect(statusIn(url)).toBe(status)
})
