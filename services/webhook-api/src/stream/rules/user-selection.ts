import type { RuledUser } from '@surehook/access/users/rule-values'
import type { StreamQuery } from '@surehook/contracts/http/webhooks/stream'
import type { Change } from '@surehook/matching/read-change'
import { AppError } from '@surehook/service-kit/errors'
import { fitToTables } from '../../tables/fit-to-table.ts'
import type { Fields } from '../../tables/known-tables.ts'
import type { Tenant } from '../../tenants/tenant.ts'
import { StreamEnded } from '../answer/stream-ended.ts'
import {
  type FittedFilters,
  isOf,
  isWanted,
  leaving,
  type Selected,
  type Selecting,
  type StreamSelection,
  testsOf,
} from '../answer/stream-selection.ts'
import { UserViews, type UserViewsDeps } from './user-views.ts'

/** Rejects with FORBIDDEN if the query names a table that the user may not read. */
export async function selectForUser(
  deps: UserViewsDeps,
  user: RuledUser,
  query: Selecting & Pick<StreamQuery, 'table'>,
): Promise<StreamSelection> {
  const views = new UserViews(deps, user)
  // The stream must not begin with rules that are not valid any more.
  await deps.tables.current()
  const filters = await fittedFilters(views, query)
  return userSelectionOf(user.tenant, query, { filters, views })
}

async function fittedFilters(
  views: UserViews,
  { table, filter }: Pick<StreamQuery, 'table' | 'filter'>,
): Promise<FittedFilters | undefined> {
  if (table === undefined) return undefined
  const fields = new Map<string, Fields>()
  for (const name of table) fields.set(name, await views.fieldsOf(name))
  return fitToTables(filter, fields)
}

/**
 * Selects among the changes that a user may see. The filter tests only what the user sees of a
 * change. It does not hold back a DELETE of a record that left the user's rules.
 */
export async function userSelectionOf(
  tenant: Tenant,
  { events, filter, select: names, list }: Selecting,
  { filters, views }: { filters: FittedFilters | undefined; views: UserViews },
): Promise<StreamSelection> {
  const testOf = await testsOf(filter, filters)
  async function selected(change: Change): Promise<Selected | null> {
    const { table } = change.event
    if (!isOf(tenant, change.event)) return null
    await views.note(change.event)
    const test = testOf(table)
    if (test === undefined) return null
    const seen = (await views.of(table))?.(change) ?? null
    if (seen === null) return null
    const { event, record, fields, hasLeft } = seen
    const wanted = (of: Selected) => (isWanted(of.event, events) ? of : null)
    if (hasLeft) return wanted({ event, select: fields })
    if (!test(record, event.changedFields)) {
      return list && event.operation === 'UPDATE' ? wanted(leaving(event)) : null
    }
    const select = names === undefined ? fields : new Set(names.filter((name) => fields.has(name)))
    return wanted({ event, select })
  }
  return {
    isCurrent: () => views.isCurrent(),
    async of(change) {
      try {
        return await selected(change)
      } catch (err) {
        // Without an answer of auth-service, nobody knows what the user may read.
        throw err instanceof AppError ? new StreamEnded('access') : err
      }
    },
  }
}
