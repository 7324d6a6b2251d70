import type { FieldType } from '@surehook/contracts/filter/filter'
import type { Access } from '@surehook/contracts/http/data/access'
import { assignedFields } from '@surehook/contracts/http/data/names'
import type { ColumnType } from '@surehook/contracts/http/data/tables'

export type Tenant = { projectId: string; environment: string }

export type Column = {
  name: string
  type: ColumnType
  required: boolean
  unique: boolean
  /** JSON as the client sent it; `null` for none. */
  default: unknown
}

/** The parts of a table that a client decides. */
export type TableShape = { columns: readonly Column[]; access: Access }

/** A row of the catalogue. `id` and `version` together identify these columns. */
export type TableDefinition = Tenant &
  TableShape & {
    /** Never reused, even if a table of the same name is made after this one was dropped. */
    id: string
    version: number
    name: string
    schema: string
    createdAt: string
    updatedAt: string
  }

/** The fields of a record that filters may test. */
export function fieldTypes({ columns }: Pick<TableShape, 'columns'>): Map<string, FieldType> {
  return new Map<string, FieldType>([
    ...Object.entries(assignedFields),
    ...columns.map(({ name, type }): [string, FieldType] => [name, type]),
  ])
}
