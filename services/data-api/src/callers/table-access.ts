import { AppError } from '@surehook/service-kit/errors'
import type { TableCache } from '../tables/table-cache.ts'
import type { TableAccess } from '../tables/table-definition.ts'
import type { Caller } from './authorize.ts'

export type AccessAction = keyof TableAccess

/**
 * The tables as this caller may use them for an action. The table's `access` is looked at with the definition that
 * the attempt works with, so that it is as current as the attempt itself.
 */
export function tablesFor(
  tables: TableCache,
  { roles }: Pick<Caller, 'roles'>,
  action: AccessAction,
): TableCache {
  if (roles === null) return tables
  return {
    use: (tenant, name, attempt) =>
      tables.use(tenant, name, async (table) => {
        requireRole(table.definition.access[action], roles)
        return attempt(table)
      }),
  }
}

function requireRole(allowed: readonly string[], roles: readonly string[]): void {
  if (allowed.some((role) => roles.includes(role))) return
  throw new AppError('FORBIDDEN', 'None of your roles allows this')
}
