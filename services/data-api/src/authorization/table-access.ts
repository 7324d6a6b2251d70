import { AppError } from '@surehook/service-kit/errors'
import type { TableCache } from '../tables/table-cache.ts'
import type { TableAccess } from '../tables/table-definition.ts'
import type { Caller } from './authorize.ts'

export type AccessAction = keyof TableAccess

/**
 * The tables as this caller may use them for an action. The table's `access` is looked at with the definition that
 * the attempt works with, so that it is as current as the attempt itself. A right to write shows no fields.
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
        const { access } = table.definition
        if (!grants(access[action], roles)) {
          throw new AppError('FORBIDDEN', 'None of your roles allows this')
        }
        return attempt(grants(access.read, roles) ? table : { ...table, view: withoutFields })
      }),
  }
}

/** Whether the caller may do anything at all with the table. */
export const mayUse = ({ roles }: Pick<Caller, 'roles'>, access: TableAccess): boolean =>
  roles === null || Object.values(access).some((allowed) => grants(allowed, roles))

const grants = (allowed: readonly string[], roles: readonly string[]): boolean =>
  allowed.some((role) => roles.includes(role))

/** Of a record what whoever writes it has to know: which it is, and that it was written. */
function withoutFields(record: string): string {
  const { id, createdAt, updatedAt } = JSON.parse(record) as Record<string, unknown>
  return JSON.stringify({ id, createdAt, updatedAt })
}
