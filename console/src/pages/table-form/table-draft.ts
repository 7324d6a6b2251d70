import type { Table, TableInput, Violation } from '@surehook/client'

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

export const actions = ['read', 'create', 'update', 'delete'] as const
export type Action = (typeof actions)[number]

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

/** Roles are separated by commas. */
export type TableDraft = {
  name: string
  columns: readonly ColumnDraft[]
  access: Readonly<Record<Action, string>>
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
  access: { read: '', create: '', update: '', delete: '' },
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
    access: {
      read: access.read.join(', '),
      create: access.create.join(', '),
      update: access.update.join(', '),
      delete: access.delete.join(', '),
    },
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
      violations.push({ field: `columns[${index}].default`, message: value.fault })
    }
    return { name, type, required, unique, ...value.given }
  })
  const access = Object.fromEntries(
    actions.map((action) => [action, rolesIn(draft.access[action])]),
  )
  return { input: { columns, access }, violations }
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

const rolesIn = (text: string): string[] =>
  text
    .split(',')
    .map((role) => role.trim())
    .filter((role) => role !== '')
