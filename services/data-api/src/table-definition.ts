import type { accessActions, ColumnType } from '@surehook/contracts/http/data/tables'

export type Tenant = { projectId: string; environment: string }

export type Column = {
  name: string
  type: ColumnType
  required: boolean
  unique: boolean
  /** JSON as the client sent it; `null` for none. */
  default: unknown
}

export type TableAccess = Record<(typeof accessActions)[number], string[]>

/** The parts of a table that a client decides. */
export type TableShape = { columns: readonly Column[]; access: TableAccess }

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
