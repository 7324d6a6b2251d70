import type { Table } from '@surehook/contracts/http/data/tables'
import type { TableDefinition } from '../table-definition.ts'

/** The table as clients see it. */
export function tableView(table: TableDefinition): Table {
  const { name, columns, access, createdAt, updatedAt } = table
  return { name, columns: [...columns], access, createdAt, updatedAt }
}
