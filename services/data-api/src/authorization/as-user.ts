import { onlyReads } from '@surehook/access/users/only-reads'
import type { UserValuesOf } from '@surehook/access/users/user-values'
import { asUser } from '@surehook/contracts/http/data/as-user'
import { dataGraphQL, getRecord, listRecords } from '@surehook/contracts/http/data/data'
import { explainAccess } from '@surehook/contracts/http/data/explanation'
import type { RuledViolation } from '@surehook/contracts/problem'
import { AppError, invalid, unavailable } from '@surehook/service-kit/errors'
import type { RequestContext } from '@surehook/service-kit/http/request/request-context'
import { parsePart } from '@surehook/service-kit/http/violations'
import * as z from 'zod'
import type { Tenant } from '../table-definition.ts'

const Header = z.object(asUser)

const operations: ReadonlySet<string> = new Set(
  [listRecords, getRecord, dataGraphQL, explainAccess].map(({ id }) => id),
)

/**
 * Returns the user whose records a management token asks to see, as their own token would make
 * them. Throws USER_NOT_FOUND for a user whose token would not be valid.
 */
export async function userAsked(
  { operation, req }: Pick<RequestContext, 'operation' | 'req'>,
  tenant: Tenant,
  users: Pick<UserValuesOf, 'of'>,
) {
  if (!operations.has(operation)) throw onlyReads()
  const violations: RuledViolation[] = []
  const header = parsePart('headers', Header, { input: req.headers, violations })
  const id = header?.['x-as-user']
  if (id === undefined) throw invalid(violations)
  const values = await users.of(tenant, id)
  if (values === null) throw new AppError('USER_NOT_FOUND', 'No such user, or a disabled one')
  const { roles } = values
  if (roles === undefined) throw unavailable('auth-service is older and does not tell the roles')
  return { tenant, roles, id, onlyReads: true } as const
}
