import { AppError } from '@surehook/service-kit/errors'
import type { TableAccess } from '../table-definition.ts'
import type { TableCache } from '../tables/table-cache.ts'
import type { Caller } from './authorize.ts'

export type AccessAction = keyof TableAccess

/**
 * Restricts the tables to what this caller may do. It reads `access` from the same definition as
 * the attempt, so that both are equally current. Permission to write does not include permission to
 * read fields.
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

/** True if the caller has any permission on the table. */
export const mayUse = ({ roles }: Pick<Caller, 'roles'>, access: TableAccess): boolean =>
  roles === null || Object.values(access).some((allowed) => grants(allowed, roles))

const grants = (allowed: readonly string[], roles: readonly string[]): boolean =>
  allowed.some((role) => roles.includes(role))

/** The fields that a writer without read permission gets: the id and the times. */
function withoutFields(record: string): string {
  const { id, createdAt, updatedAt } = JSON.parse(record) as Record<string, unknown>
  return JSON.stringify({ id, createdAt, updatedAt })
}
