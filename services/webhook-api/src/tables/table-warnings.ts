import { usersTable } from '@surehook/contracts/http/data/reserved-tables'
import type { Warning } from '@surehook/contracts/http/webhooks/webhooks'
import { fitFilter } from './fit-to-table.ts'
import type { Fields } from './known-tables.ts'

type Wish = {
  table: string
  filter?: Record<string, unknown> | null | undefined
  select?: readonly string[] | null | undefined
}

/** Tables that the platform itself publishes, which data-api does not know. */
const platformTables: ReadonlySet<string> = new Set([usersTable, '_webhooks', '_sources'])

/**
 * Returns a warning for each part of the subscription that its table does not support now. The
 * table may still appear or change.
 */
export function tableWarnings(
  { table, filter, select }: Wish,
  { fields, awaitsColumns }: { fields: Fields | undefined; awaitsColumns: boolean },
): Warning[] {
  if (fields !== undefined)
    return [...fitFilter(filter, fields).violations, ...unknown(select, fields)]
  if (platformTables.has(table)) return []
  const unchecked = [filter && 'filter', select && 'select'].filter(
    (field) => typeof field === 'string',
  )
  if (awaitsColumns) {
    return unchecked.map((field) => ({ field, message: 'is checked when the columns are known' }))
  }
  return [
    {
      field: 'table',
      message: 'is no table of this environment: only changes that other services publish match',
    },
    ...unchecked.map((field) => ({ field, message: 'is checked when the table exists' })),
  ]
}

const unknown = (select: Wish['select'], fields: Fields): Warning[] =>
  (select ?? []).flatMap((name, index) =>
    fields.has(name)
      ? []
      : [{ field: `select.${index}`, message: 'is not a field of the table: it is left out' }],
  )
