import { expect, it } from '@jest/globals'
import { rateLimitsOf } from './rate-limits.ts'

it('reads the limits of an answer', () => {
  const headers = new Headers({
    'RateLimit-Policy': '"project";q=100000;w=10, "token";q=50000;w=10',
    RateLimit: '"project";r=99211;t=1',
  })
  expect(rateLimitsOf(headers)).toEqual([
    { scope: 'project', quota: 100_000, windowSeconds: 10, left: 99_211 },
    { scope: 'token', quota: 50_000, windowSeconds: 10, left: null },
  ])
  expect(rateLimitsOf(new Headers())).toBeNull()
})
