import { createStatementBatches, type StatementBatchesOptions } from '../../statement-batches.ts'
import type { Tenant } from '../../table-definition.ts'
import type { KnownTable } from '../../tables/table-cache.ts'

/** A table without the restrictions of one caller. */
export type SharedTable = Omit<KnownTable, 'view' | 'limits'>

export type SharedStatements<Item> = {
  /**
   * @returns the item's whole record as JSON; `null` if there is none or if the table's definition
   * is outdated
   */
  run(tenant: Tenant, table: KnownTable, item: Item): Promise<string | null>
}

/** `statement` returns the record of each item in order, or nothing for an outdated table. */
export type SharedStatementsOptions<Item> = StatementBatchesOptions<Item, SharedTable>

/** Simultaneous requests of one kind for one version of a table share a statement. */
export function createSharedStatements<Item>(
  options: SharedStatementsOptions<Item>,
): SharedStatements<Item> {
  const batches = createStatementBatches(options)
  return {
    run(tenant, { view: _view, limits: _limits, ...table }, item) {
      const key = `${table.definition.id}/${table.definition.version}`
      return batches.run({ key, tenant, target: table }, item)
    },
  }
}
