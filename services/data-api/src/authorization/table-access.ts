import { appliesTo } from '@surehook/access/users/row-grants'
import { valuesOf } from '@surehook/access/users/rule-values'
import type { UserValuesOf } from '@surehook/access/users/user-values'
import type { ValueOfUser } from '@surehook/contracts/filter/user-variables'
import {
  type Access,
  type AccessAction,
  type AccessEntry,
  accessActions,
} from '@surehook/contracts/http/data/access'
import { AppError } from '@surehook/service-kit/errors'
import type { KnownTable, TableCache } from '../tables/table-cache.ts'
import type { Caller } from './authorize.ts'
import { bindGrants, shownBy } from './grants.ts'

/**
 * Restricts the tables to what this caller may do. It reads `access` from the same definition as
 * the attempt, so that both are equally current. Permission to write does not include permission to
 * read fields.
 */
export function tablesFor(
  tables: TableCache,
  users: UserValuesOf,
  { caller, action }: { caller: Caller; action: AccessAction },
): TableCache {
  const { roles, tenant } = caller
  if (roles === null) return tables
  return {
    use: (of, name, attempt) =>
      tables.use(of, name, async (table) => {
        const { definition } = table
        const entries = (on: AccessAction) =>
          definition.access[on].filter((entry) => appliesTo(entry, roles))
        const [acting, reading] = [entries(action), entries('read')]
        if (acting.length === 0) throw new AppError('FORBIDDEN', 'None of your roles allows this')
        const valueOf = await valuesOf(users, { ...caller, tenant, roles }, [...acting, ...reading])
        return attempt(limited(table, { acting, reading, valueOf }))
      }),
  }
}

type Limiting = {
  acting: readonly AccessEntry[]
  reading: readonly AccessEntry[]
  valueOf: ValueOfUser
}

function limited(table: KnownTable, { acting, reading, valueOf }: Limiting): KnownTable {
  const binding = { columns: table.definition.columns, valueOf }
  const action = bindGrants(acting, binding)
  const read = bindGrants(reading, binding)
  const isLimited = action !== null || (read !== null && reading.length > 0)
  return {
    ...table,
    ...(isLimited && { limits: { action, read } }),
    ...(read !== null && { view: shownBy(read) }),
  }
}

/** True if the caller has any permission on the table. */
export const mayUse = ({ roles }: Pick<Caller, 'roles'>, access: Access): boolean =>
  roles === null ||
  accessActions.some((action) => access[action].some((entry) => appliesTo(entry, roles)))
