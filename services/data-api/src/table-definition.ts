import type { FieldType } from '@surehook/contracts/filter/filter'
import type { Access } from '@surehook/contracts/http/data/access'
import { assignedFields } from '@surehook/contracts/http/data/names'
import type { TableSource } from '@surehook/contracts/http/data/table-source'
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

type CatalogueRow = Tenant &
  TableShape & {
    /** Never reused, even if a table of the same name is made after this one was dropped. */
    id: string
    version: number
    name: string
    createdAt: string
    updatedAt: string
  }

/** A table whose records are here. `id` and `version` together identify these columns. */
export type TableDefinition = CatalogueRow & { schema: string; source: null }

/** A table of a source: a name and columns. Nobody has access to its records here. */
export type SourceTable = CatalogueRow & { schema: null; source: TableSource }

/** A row of the catalogue. */
export type CatalogueTable = TableDefinition | SourceTable

/** The fields of a record that filters may test. */
export function fieldTypes({ columns }: Pick<TableShape, 'columns'>): Map<string, FieldType> {
  return new Map<string, FieldType>([
    ...Object.entries(assignedFields),
    ...columns.map(({ name, type }): [string, FieldType] => [name, type]),
  ])
}
