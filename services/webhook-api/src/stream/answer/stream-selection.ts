import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ChangeEvent } from '@surehook/contracts/events'
import { compileFilter, type RecordPredicate } from '@surehook/contracts/filter/compile-filter'
import { parseFilter } from '@surehook/contracts/filter/parse-filter'
import type { StreamQuery } from '@surehook/contracts/http/webhooks/stream'
import type { Change } from '@surehook/matching/read-change'
import type { Tenant } from '../../tenants/tenant.ts'

/** By table. */
export type FittedFilters = ReadonlyMap<string, StreamQuery['filter']>

export type Selected = {
  event: ChangeEvent
  /** The fields of the record that are sent; `null` for all. */
  select: ReadonlySet<string> | null
}

export type StreamSelection = {
  /** Returns what the client gets of a change; `null` for nothing. */
  of: (change: Change) => Selected | null | Promise<Selected | null>
  /** False once the client may not read any more what it selects. */
  isCurrent: () => boolean
  /** What an event stream names first, for a client that asks. */
  view?: string
}

export type Selecting = Pick<StreamQuery, 'events' | 'filter' | 'select' | 'list'>

/**
 * Selects the changes that subscriptions with these fields would get.
 * @param filters the filter as fitted to each wanted table, or `undefined` for all tables
 */
export async function selectionOf(
  tenant: Tenant,
  { events, filter, select: names, list }: Selecting,
  filters: FittedFilters | undefined,
): Promise<StreamSelection> {
  const testOf = await testsOf(filter, filters)
  const select = names === undefined ? null : new Set(names)
  return {
    isCurrent: () => true,
    of({ event, record }) {
      const test = isOf(tenant, event) ? testOf(event.table) : undefined
      if (test === undefined) return null
      const wanted = (of: Selected) => (isWanted(of.event, events) ? of : null)
      if (test(record, event.changedFields)) return wanted({ event, select })
      return list && event.operation === 'UPDATE' ? wanted(leaving(event)) : null
    },
  }
}

export const isWanted = ({ operation }: ChangeEvent, events: Selecting['events']): boolean =>
  events === undefined || events.includes(operation)

const onlyId: ReadonlySet<string> = new Set(['id'])

/** Returns the DELETE, with the id only, of a record that leaves what the client gets. */
export function leaving(event: ChangeEvent): Selected & { select: ReadonlySet<string> } {
  const record = JSON.stringify({ id: event.recordId })
  return { event: { ...event, operation: 'DELETE', record, changedFields: [] }, select: onlyId }
}

export const isOf = ({ projectId, environment }: Tenant, event: ChangeEvent): boolean =>
  event.projectId === projectId && event.environment === environment

/**
 * Compiles each filter once. Other requests get a turn after each of them. The result returns the
 * test of a table, or `undefined` for an unwanted table.
 */
export async function testsOf(
  filter: StreamQuery['filter'],
  filters: FittedFilters | undefined,
): Promise<(table: string) => RecordPredicate | undefined> {
  if (filters === undefined) {
    const test = compiled(filter)
    return () => test
  }
  const tests = new Map<string, RecordPredicate>()
  for (const [table, fitted] of filters) {
    tests.set(table, compiled(fitted))
    await nextTurn()
  }
  return (table) => tests.get(table)
}

function compiled(filter: StreamQuery['filter']): RecordPredicate {
  const parsed = parseFilter(filter ?? {})
  if (!parsed.ok) throw new Error('The filter of a stream is not valid')
  return compileFilter(parsed.filter)
}
