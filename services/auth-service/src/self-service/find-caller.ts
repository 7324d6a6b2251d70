import { AppError } from '@surehook/service-kit/errors'
import type { Pool } from 'pg'
import type { Caller } from '../use-cases/call.ts'
import type { User } from '../user.ts'
import { findUserById } from '../users/user-store.ts'

/** The token was valid at the start of the request. Its user or its session has ended since. */
export const callerIsGone = () =>
  new AppError('AUTH_TOKEN_INVALID', 'The access token is not valid')

export async function findCaller(pool: Pool, { tenant, claims }: Caller): Promise<User> {
  return assertActive(await findUserById(pool, tenant, claims.sub))
}

export function assertActive(user: User | null): User {
  if (user === null || user.disabled) throw callerIsGone()
  return user
}
