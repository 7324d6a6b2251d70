import type { accessActions, ColumnType } from '@surehook/contracts/http/data/tables'

export type Tenant = { projectId: string; environment: string }

export type Column = {
  name: string
  type: ColumnType
  required: boolean
  unique: boolean
  /** JSON as the client gave it; `null`: none. */
  default: unknown
}

export type TableAccess = Record<(typeof accessActions)[number], string[]>

/** What a client decides about a table. */
export type TableShape = { columns: readonly Column[]; access: TableAccess }

/** One row of the catalogue. `id` and `version` together stand for exactly these columns. */
export type TableDefinition = Tenant &
  TableShape & {
    /** Never used again, even when a table of the same name is made after this one was dropped. */
    id: string
    version: number
    name: string
    schema: string
    createdAt: string
    updatedAt: string
  }
