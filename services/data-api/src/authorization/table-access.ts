import { appliesTo } from '@surehook/access/users/row-grants'
import { valuesOf } from '@surehook/access/users/rule-values'
import type { UserValuesOf } from '@surehook/access/users/user-values'
import type { ValueOfUser } from '@surehook/contracts/filter/user-variables'
import type { AccessAction, AccessEntry } from '@surehook/contracts/http/data/access'
import { AppError } from '@surehook/service-kit/errors'
import type { TableDefinition } from '../table-definition.ts'
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
        const entries = entriesFor(roles, definition)
        const [acting, reading] = [entries(action), entries('read')]
        if (acting.length === 0) throw new AppError('FORBIDDEN', 'None of your roles allows this')
        const valueOf = await valuesOf(users, { ...caller, tenant, roles }, [...acting, ...reading])
        return attempt(limited(table, { acting, reading, reads: action === 'read', valueOf }))
      }),
  }
}

const entriesFor =
  (roles: readonly string[], { access }: Pick<TableDefinition, 'access'>) =>
  (action: AccessAction): AccessEntry[] =>
    access[action].filter((entry) => appliesTo(entry, roles))

type Limiting = {
  acting: readonly AccessEntry[]
  reading: readonly AccessEntry[]
  /** The call reads, so that `acting` are the same entries. */
  reads: boolean
  valueOf: ValueOfUser
}

function limited(table: KnownTable, { acting, reading, reads, valueOf }: Limiting): KnownTable {
  const binding = { columns: table.definition.columns, valueOf }
  const read = bindGrants(reading, binding)
  const action = reads ? read : bindGrants(acting, binding)
  // The statements of a read return only admitted records, so that at most columns are hidden.
  const hides = read !== null && (!reads || read.some(({ columns }) => columns !== null))
  const isLimited = action !== null || (read !== null && reading.length > 0)
  return {
    ...table,
    ...(isLimited && { limits: { action, read } }),
    ...(hides && { view: shownBy(read) }),
  }
}

/** Returns the table without the columns that the caller can neither read nor send, or `null`. */
export function tableSeenBy(
  { roles }: Pick<Caller, 'roles'>,
  table: TableDefinition,
): TableDefinition | null {
  if (roles === null) return table
  const entriesOf = entriesFor(roles, table)
  const used = [...entriesOf('read'), ...entriesOf('create'), ...entriesOf('update')]
  if (used.length + entriesOf('delete').length === 0) return null
  const named = used.map((entry) => (typeof entry === 'string' ? undefined : entry.columns))
  if (named.includes(undefined)) return table
  const seen = new Set(named.flat())
  return { ...table, columns: table.columns.filter(({ name }) => seen.has(name)) }
}
