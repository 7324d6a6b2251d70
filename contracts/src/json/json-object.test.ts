import { expect, it } from '@jest/globals'
import { toChangeEvents } from '../events/new-change.ts'
import { SubscriptionInput } from '../http/webhooks/webhooks.ts'
import { JsonObject } from './json-object.ts'

const named = JSON.parse('{"__proto__":{"eq":1}}')

it('keeps a key named __proto__', () => {
  expect(JSON.stringify(JsonObject.parse(named))).toBe('{"__proto__":{"eq":1}}')
})

it.each([null, [], 'x', 1])('is not %j', (value) => {
  expect(JsonObject.safeParse(value).success).toBe(false)
})

it('leaves the filter of a subscription whole', () => {
  const { filter } = SubscriptionInput.parse({
    projectId: 'shop',
    environment: 'master',
    table: 'orders',
    events: ['INSERT'],
    url: 'https://receiver.example/',
    secret: 'secret',
    filter: named,
  })
  expect(JSON.stringify(filter)).toBe('{"__proto__":{"eq":1}}')
})

it('leaves the record of a published change whole', () => {
  const change = {
    projectId: 'shop',
    environment: 'master',
    table: 'orders',
    recordId: '1',
    operation: 'INSERT',
    record: named,
  } as const
  expect(toChangeEvents([change], 'test')[0]?.record).toBe('{"__proto__":{"eq":1}}')
})
