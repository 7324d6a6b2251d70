import { expect, it } from '@jest/globals'
import { withParam } from '../../../parts/forms/url/url-params.ts'
import { activeFilters, isLive, queryOf, withLive, withoutFilters } from './filters.ts'

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
  expect(withParam(params, 'table', 'orders').toString()).toBe('status=paused&table=orders')
  expect(withParam(params, 'status', '').toString()).toBe('')
})

it('is live on the first page only, and stays live without its filters', () => {
  const params = withLive(new URLSearchParams('status=paused&cursor=c'), true)
  expect(params.toString()).toBe('status=paused&live=on')
  expect(isLive(params)).toBe(true)
  expect(withoutFilters(params).toString()).toBe('live=on')
  expect(withLive(params, false).toString()).toBe('status=paused')
  expect(isLive(new URLSearchParams('live=on&cursor=c'))).toBe(false)
})
