import { expect, it } from '@jest/globals'
import { installationLimits } from '@surehook/contracts/http/webhooks/installation'
import { endpointsOf, openAmong } from './open-circuits.ts'

const url = 'https://receiver.example/hooks?key=hidden'
const failingSubscription = (
  id: string,
  of: { projectId?: string; url?: string; name?: string } = {},
) => ({
  ...{ id, projectId: 'shop', environment: 'master', url, name: null },
  ...of,
})
const reading = (openUntil: number, own: Record<string, number> = {}) => ({
  ...{ failures: 0, openUntil, inFlight: 0 },
  own: new Map(Object.entries(own)),
})

it('joins the subscriptions of an endpoint, and keeps tenants apart', () => {
  const endpoints = endpointsOf([
    failingSubscription('a'),
    failingSubscription('b'),
    failingSubscription('c', { projectId: 'other' }),
    failingSubscription('d', { url: 'https://receiver.example/other' }),
  ])
  const { open, leftOut } = openAmong(
    endpoints,
    [reading(2_000), reading(3_000), reading(1)],
    1_000,
  )
  expect(open).toMatchObject([
    { projectId: 'shop', webhooks: ['a', 'b'], openUntil: '1970-01-01T00:00:02.000Z' },
    { projectId: 'other', webhooks: ['c'], openUntil: '1970-01-01T00:00:03.000Z' },
  ])
  expect(leftOut).toBe(0)
  expect(JSON.stringify(open)).not.toContain('hidden')
})

it('names only the subscription that the receiver refuses', () => {
  const endpoints = endpointsOf([failingSubscription('a'), failingSubscription('b')])
  const { open } = openAmong(endpoints, [reading(0, { b: 2_000, a: 900 })], 1_000)
  expect(open).toMatchObject([{ webhooks: ['b'], openUntil: '1970-01-01T00:00:02.000Z' }])
})

it('answers the names of those that have one', () => {
  const endpoints = endpointsOf([
    failingSubscription('a', { name: 'Orders to accounting' }),
    failingSubscription('b'),
  ])
  const { open } = openAmong(endpoints, [reading(2_000)], 1_000)
  expect(open).toMatchObject([
    { webhooks: ['a', 'b'], webhookNames: { a: 'Orders to accounting' } },
  ])
})

it('counts the open circuits that it leaves out', () => {
  const { circuits: most } = installationLimits
  const failing = Array.from({ length: most + 7 }, (_, n) =>
    failingSubscription('a', { url: `${url}${n}` }),
  )
  const endpoints = endpointsOf(failing)
  const readings = failing.map(() => reading(2_000))
  const { open, leftOut } = openAmong(endpoints, readings, 1_000)
  expect([open.length, leftOut]).toEqual([most, 7])
})
