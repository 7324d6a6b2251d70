import * as z from 'zod'
import type { ManagementRight } from '../../rights.ts'

const name = 'x-as-user'

const UserId = z.uuid().toLowerCase()

/** For a read with a management token: shows what a user would see. */
export const asUser = {
  [name]: UserId.optional().describe(
    'With a management token: the id of the user to read as. The token needs the rights ' +
      '`records`, `tables` and `users`',
  ),
}

/** For an explanation of what a user may do. */
export const explainedUser = { [name]: UserId.describe('The id of the user') }

/**
 * The rights of a token that reads as a user. The answer shows records, and it depends on the rules
 * of the table and on the values of the user.
 */
export const asUserRights = ['records', 'tables', 'users'] satisfies ManagementRight[]

type Headers = Readonly<Record<string, unknown>>

export const hasAsUser = (headers: Headers): boolean => headers[name] !== undefined

/** The id in the header. `undefined`: there is none, or it is not valid. */
export const asUserOf = (headers: Headers): string | undefined =>
  UserId.safeParse(headers[name]).data

/** How violations name the header. */
export const asUserName = 'X-As-User'
