import { expect, it } from '@jest/globals'
import { delaysIn, headersIn, perSecondIn, policyIn, withKey } from './policy-values.ts'

it.each(['', '{}', '{"concurrency":4,"ordered":"record"}', '{"retryDelays":null,"gone":null}'])(
  'shows the policy %j as a form',
  (text) => expect(policyIn(text)).not.toBeNull(),
)

it.each(['{', '[]', '{"new":1}', '{"retryDelays":"never"}', '{"rateLimit":{"perMinute":1}}'])(
  'leaves %j to the JSON',
  (text) => expect(policyIn(text)).toBeNull(),
)

it('changes one key, and is empty without any', () => {
  const policy = { concurrency: 4, gone: 'deactivate' }
  expect(JSON.parse(withKey(policy, 'concurrency', 5))).toEqual({ ...policy, concurrency: 5 })
  expect(withKey({ concurrency: 4 }, 'concurrency', undefined)).toBe('')
})

it('reads delays, headers and the rate', () => {
  expect(delaysIn({ retryDelays: ['30s', '5m'] })).toEqual(['30s', '5m'])
  expect(delaysIn({ retryDelays: 'extended' })).toBe('extended')
  expect(delaysIn({})).toBeNull()
  expect(headersIn({ headers: { 'X-Key': 'a' } })).toEqual([['X-Key', 'a']])
  expect(perSecondIn({ rateLimit: { perSecond: 0.5 } })).toBe(0.5)
  expect(perSecondIn({ rateLimit: null })).toBe('')
})
