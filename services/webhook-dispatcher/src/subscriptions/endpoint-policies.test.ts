import { expect, it } from '@jest/globals'
import { defaultPolicy } from '@surehook/contracts/events'
import { EndpointPolicies } from './endpoint-policies.ts'

const policies = new EndpointPolicies()
const set = (id: string, endpoint: string, limits: { concurrency?: number; perSecond?: number }) =>
  policies.set(id, endpoint, { ...defaultPolicy, ...limits })

it('the strictest of an endpoint counts, each limit by itself, and only as long as it is there', () => {
  expect(policies.of('e')).toBeUndefined()
  set('a', 'e', { concurrency: 4, perSecond: 2 })
  set('b', 'e', { concurrency: 8, perSecond: 0.5 })
  set('c', 'e', {})
  set('d', 'f', { concurrency: 1 })
  expect(policies.of('e')).toEqual({ concurrency: 4, perSecond: 0.5 })
  set('b', 'f', { perSecond: 0.5 })
  expect(policies.of('e')).toEqual({ concurrency: 4, perSecond: 2 })
  expect(policies.of('f')).toEqual({ concurrency: 1, perSecond: 0.5 })
  policies.set('a', 'e', null)
  expect(policies.of('e')).toBeUndefined()
  expect(policies.of('f')).toBe(policies.of('f'))
  policies.delete('d')
  policies.delete('b')
  policies.delete('nobody')
  expect(policies.of('f')).toBeUndefined()
})
