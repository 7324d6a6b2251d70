import type { Table, TableInput, Violation } from '@surehook/client'
import { ownerAccess, ownerColumn } from '@surehook/contracts/http/data/owner-access'
import { noAccess } from '../../parts/data/access/access.ts'
import { jsonObjectIn } from '../../parts/forms/json-object.ts'
import { accessJson } from './access/access-draft.ts'

export const columnTypes = [
  'text',
  'integer',
  'bigint',
  'double',
  'decimal',
  'boolean',
  'timestamp',
  'date',
  'uuid',
  'json',
] as const

/** A column as it was typed. `default` is JSON, or empty. */
export type ColumnDraft = {
  key: number
  name: string
  type: (typeof columnTypes)[number]
  required: boolean
  unique: boolean
  default: string
  /** A stored column keeps its name and type. */
  isStored: boolean
}

export type TableDraft = {
  name: string
  columns: readonly ColumnDraft[]
  /** JSON text. */
  access: string
}

export const newColumn = (columns: readonly ColumnDraft[]): ColumnDraft => ({
  key: 1 + Math.max(0, ...columns.map(({ key }) => key)),
  name: '',
  type: 'text',
  required: false,
  unique: false,
  default: '',
  isStored: false,
})

export const emptyTable: TableDraft = {
  name: '',
  columns: [newColumn([])],
  access: accessJson(noAccess),
}

export function tableDraftOf({ name, columns, access }: Table): TableDraft {
  return {
    name,
    columns: columns.map((column, index) => ({
      ...column,
      key: index + 1,
      default: column.default === null ? '' : JSON.stringify(column.default),
      isStored: true,
    })),
    access: accessJson(access),
  }
}

/** The preset `owner`, written out. */
export function withOwner(draft: TableDraft): TableDraft {
  const { columns } = draft
  const hasColumn = columns.some(({ name }) => name === ownerColumn.name)
  return {
    ...draft,
    columns: hasColumn ? columns : [...columns, { ...newColumn(columns), ...ownerColumn }],
    access: accessJson(ownerAccess),
  }
}

/** What the API takes, and what is wrong with the text. Faults name the fields of the API. */
export function tableInputOf(draft: TableDraft): { input: TableInput; violations: Violation[] } {
  const violations: Violation[] = []
  if (draft.name === '') violations.push({ field: 'name', message: 'must be set' })
  const columns = draft.columns.map((column, index) => {
    const { name, type, required, unique } = column
    const value = defaultOf(column)
    if (value.fault !== undefined) {
      violations.push({ field: `columns.${index}.default`, message: value.fault })
    }
    return { name, type, required, unique, ...value.given }
  })
  const access = jsonObjectIn(draft.access)
  if ('fault' in access) {
    violations.push({ field: 'access', message: access.fault })
    return { input: { columns }, violations }
  }
  return {
    input: { columns, access: access.value as NonNullable<TableInput['access']> },
    violations,
  }
}

/** Text of a text column needs no quotes. */
function defaultOf(column: ColumnDraft): { given?: { default: unknown }; fault?: string } {
  const text = column.default.trim()
  if (text === '') return {}
  try {
    return { given: { default: JSON.parse(text) as unknown } }
  } catch {
    const isText = column.type !== 'json' && column.type !== 'boolean'
    return isText ? { given: { default: text } } : { fault: 'must be JSON' }
  }
}
