import type { UserValuesOf } from '@surehook/access/users/user-values'
import type { ChangeEvent } from '@surehook/contracts/events'
import { testedFields } from '@surehook/contracts/filter/tested-fields'
import type { AccessEntry } from '@surehook/contracts/http/data/access'
import type { UserValues } from '@surehook/contracts/http/user-values'
import type { Change } from '@surehook/matching/read-change'
import type { ReadableTable } from '../../src/tables/known-tables.ts'

export const tenant = { projectId: 'shop', environment: 'master' }
export const columns = ['owner', 'team', 'secret'] as const
export type Column = (typeof columns)[number]
export type Row = { id: string } & Record<Column, string | null>

export const ann = { tenant, id: 'ann', roles: ['staff', 'red'] }
export const times = {
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
}
const fieldTypes = new Map([
  ['id', 'text' as const],
  ['createdAt', 'timestamp' as const],
  ['updatedAt', 'timestamp' as const],
  ...columns.map((name) => [name, 'text' as const] as const),
])

export const tableWith = (entries: readonly AccessEntry[]): ReadableTable => ({
  fields: fieldTypes,
  entries,
  createdAt: Date.parse(times.createdAt),
})

type State = {
  table: ReadableTable | undefined
  healthy: boolean
  /** What auth-service says of the user. */
  values: UserValues | null | Error
  forgotten: number
}

/** What the views of a user ask: the table `notes`, and auth-service. */
export function askedBy(table: ReadableTable | undefined) {
  const state: State = { table, healthy: true, values: null, forgotten: 0 }
  const tables = {
    get healthy() {
      return state.healthy
    },
    current: async () => undefined,
    readableOf: ({ table: name }: { table: string }) =>
      name === 'notes' ? state.table : undefined,
  }
  const users: UserValuesOf = {
    async of() {
      if (state.values instanceof Error) throw state.values
      return state.values
    },
    forget: () => void state.forgotten++,
  }
  return { state, tables, users }
}

/** Makes the event as data-api does. */
export function changeOf(
  before: Row | null,
  after: Row | null,
  entries: readonly AccessEntry[],
): Change {
  const row = after ?? before
  if (row === null) throw new Error('nothing changed')
  const operation = before === null ? 'INSERT' : after === null ? 'DELETE' : 'UPDATE'
  const changed =
    before !== null && after !== null ? columns.filter((of) => before[of] !== after[of]) : []
  const tested = columns.filter((column) =>
    entries.some(
      (entry) => typeof entry !== 'string' && testedFields(entry.where ?? {}).has(column),
    ),
  )
  const hasPrevious = before !== null && changed.some((column) => tested.includes(column))
  const previous = tested.map((column) => [column, before?.[column]])
  const record = { ...row, ...times }
  const event: ChangeEvent = {
    ...tenant,
    id: '0199aaaa-0000-7000-8000-000000000000',
    timestamp: '2026-01-02T00:00:00.000Z',
    table: 'notes',
    recordId: row.id,
    operation,
    record: JSON.stringify(record),
    changedFields: [...changed],
    source: 'data-api',
    requestId: null,
    traceparent: null,
    previous: hasPrevious ? JSON.stringify(Object.fromEntries(previous)) : null,
  }
  return { event, record, walPosition: null, loggedAt: 0 }
}
