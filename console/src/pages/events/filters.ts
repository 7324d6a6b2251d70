import type { EventQuery } from '@surehook/client'
import { isReservedTable } from '@surehook/contracts/http/data/reserved-tables'
import { operations } from '../webhook-form/draft.ts'

/** What the URL of the list asks for. */
export type EventFilters = {
  table: string
  operation: (typeof operations)[number] | ''
  isReservedShown: boolean
}

export const reserved = 'reserved'

export function filtersOf(params: URLSearchParams): EventFilters {
  return {
    table: params.get('table') ?? '',
    operation: operations.find((one) => one === params.get('operation')) ?? '',
    isReservedShown: params.get(reserved) === 'on',
  }
}

const selectionOf = ({ table, operation }: EventFilters) => ({
  ...(table !== '' && { table }),
  ...(operation !== '' && { events: [operation] }),
})

export function queryOf(filters: EventFilters): EventQuery {
  const { table, isReservedShown } = filters
  const isOwn = !isReservedShown && !isReservedTable(table)
  return { ...selectionOf(filters), ...(isOwn && { tables: 'own' }) }
}

/** The stream begins a minute back, so that no event is missing between the list and it. */
export const streamOf = (filters: EventFilters): string =>
  JSON.stringify({ ...selectionOf(filters), from: '1m' })
