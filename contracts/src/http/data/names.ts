import * as z from 'zod'
import { isReservedTable } from './reserved-tables.ts'

const form = /^[a-z][a-z0-9_]{0,62}$/
const formMessage = 'must match ^[a-z][a-z0-9_]{0,62}$'

/**
 * Fields of every record besides its table's columns. The platform assigns them and clients cannot
 * write them.
 */
export const assignedFields = {
  id: 'uuid',
  createdAt: 'timestamp',
  updatedAt: 'timestamp',
} as const

/** The filter language reserves `and`, `or`, `not` and `changed`. */
const reservedColumns: ReadonlySet<string> = new Set([
  'and',
  'or',
  'not',
  'changed',
  ...Object.keys(assignedFields),
])

/** PostgreSQL reserves these names as system columns of every table. */
const systemColumns: ReadonlySet<string> = new Set([
  'tableoid',
  'xmin',
  'cmin',
  'xmax',
  'cmax',
  'ctid',
])

const name = (isReserved: (name: string) => boolean) =>
  z.string().superRefine((value, context) => {
    if (isReserved(value)) context.addIssue({ code: 'custom', message: 'is a reserved name' })
    else if (!form.test(value)) context.addIssue({ code: 'custom', message: formMessage })
  })

export const TableName = name(isReservedTable).meta({
  id: 'TableName',
  pattern: form.source,
})

export const ColumnName = name(
  (column) => reservedColumns.has(column) || systemColumns.has(column),
).meta({ id: 'ColumnName', pattern: form.source })
