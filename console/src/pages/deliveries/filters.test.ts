import { expect, it } from '@jest/globals'
import { activeFilters, queryOf, withFilter } from './filters.ts'

const now = new Date('2026-01-02T00:00:00Z')

it('asks for what the URL says, and nothing else', () => {
  const params = new URLSearchParams(
    'status=paused&table=orders&within=24h&cursor=c&other=1&eventId=',
  )
  expect(queryOf(params, now)).toEqual({
    status: 'paused',
    table: 'orders',
    cursor: 'c',
    since: '2026-01-01T00:00:00.000Z',
  })
  expect(activeFilters(params)).toEqual(['status', 'table', 'within'])
})

it('begins a changed search at its first page', () => {
  const params = new URLSearchParams('status=paused&cursor=c')
  expect(withFilter(params, 'table', 'orders').toString()).toBe('status=paused&table=orders')
  expect(withFilter(params, 'status', '').toString()).toBe('')
})
