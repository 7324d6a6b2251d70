import type { DeliveryQuery } from '@surehook/client'
import { withParam } from '../../../parts/forms/url/url-params.ts'

/** The filters of the page. They live in its URL, so that it can be shared. */
export const filterNames = [
  'status',
  'webhookId',
  'table',
  'recordId',
  'eventId',
  'errorClass',
  'httpStatus',
  'within',
] as const

export type FilterName = (typeof filterNames)[number]

export const spans = [
  ['1h', 'Last hour', 3_600],
  ['24h', 'Last 24 hours', 86_400],
  ['7d', 'Last 7 days', 604_800],
] as const

/** The search that the URL asks for. Values that the API refuses come back as violations. */
export function queryOf(params: URLSearchParams, now: Date): DeliveryQuery {
  const query: Record<string, string> = {}
  for (const name of [...filterNames, 'cursor']) {
    const value = params.get(name)
    if (value !== null && value !== '' && name !== 'within') query[name] = value
  }
  const span = spans.find(([name]) => name === params.get('within'))
  if (span !== undefined) query['since'] = new Date(now.getTime() - span[2] * 1_000).toISOString()
  return query
}

/** The key of the page of the list that the URL asks for, without its tenant. */
export const searchKey = (params: URLSearchParams): readonly string[] => [
  'deliveries',
  'search',
  params.toString(),
]

export const activeFilters = (params: URLSearchParams): FilterName[] =>
  filterNames.filter((name) => (params.get(name) ?? '') !== '')

const live = 'live'

/** Whether the list follows new deliveries. Only the first page can. */
export const isLive = (params: URLSearchParams): boolean =>
  params.get(live) === 'on' && !params.has('cursor')

export const withLive = (params: URLSearchParams, isOn: boolean): URLSearchParams =>
  withParam(params, live, isOn ? 'on' : '')

/** The URL without filters. A live list stays live. */
export const withoutFilters = (params: URLSearchParams): URLSearchParams =>
  withLive(new URLSearchParams(), isLive(params))
