import { expect, it } from '@jest/globals'
import { type SearchFilters, sourceOf, statusesOf } from './search-filters.ts'

it.each<[SearchFilters, number, string]>([
  [{}, 1, 'tenant'],
  [{ table: 'orders' }, 1, 'tenant'],
  [{ status: 'paused' }, 60, 'probes'],
  [{ status: 'paused' }, 61, 'undelivered'],
  [{ status: 'delivered' }, 61, 'tenant'],
  [{ webhookId: 'w' }, 1, 'probes'],
  [{ webhookId: 'w', errorClass: 'tls' }, 1, 'undelivered'],
  [{ webhookId: 'w', httpStatus: 200 }, 1, 'tenant'],
  [{ httpStatus: 503 }, 1, 'undelivered'],
  [{ recordId: 'r', status: 'paused' }, 1, 'record'],
  [{ recordId: 'r', eventId: 'e' }, 1, 'event'],
  [{ eventId: 'e', deliveryId: 'd' }, 1, 'delivery'],
])('%j of %i subscriptions is found by %s', (filters, subscriptions, source) => {
  expect(sourceOf(filters, subscriptions)).toBe(source)
})

it('knows which statuses an answer or an error leaves', () => {
  expect(statusesOf({ httpStatus: 204 })).toEqual(['delivered'])
  expect(statusesOf({ httpStatus: 500 })).not.toContain('delivered')
  expect(statusesOf({ httpStatus: 500, status: 'delivered' })).toEqual([])
  expect(statusesOf({ errorClass: 'dns', status: 'retrying' })).toEqual(['retrying'])
})
