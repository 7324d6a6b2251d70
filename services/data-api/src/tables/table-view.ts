import type { Table } from '@surehook/contracts/http/data/tables'
import type { CatalogueTable } from '../table-definition.ts'

/** The table as clients see it. */
export function tableView(table: CatalogueTable): Table {
  const { name, columns, access, source, createdAt, updatedAt } = table
  return { name, columns: [...columns], access, source, createdAt, updatedAt }
}
