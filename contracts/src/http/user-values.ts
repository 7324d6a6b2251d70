import * as z from 'zod'
import { defineOperation } from '../operation.ts'
import { UserAttributes } from './admin/user-attributes.ts'
import { always, tenantHeaders } from './auth.ts'

/** What row rules depend on. A user's own token also has the roles. */
export const UserValues = z.object({
  email: z.string(),
  attributes: UserAttributes,
  /** Absent in the answer of an older auth-service. */
  roles: z.array(z.string()).optional(),
})
export type UserValues = z.infer<typeof UserValues>

/**
 * What data-api asks auth-service. Below `/internal`, because the gateway forwards no such path: a
 * holder of the service token outside of the platform cannot look up users by their ids.
 */
export const getUserValues = defineOperation({
  id: 'getUserValues',
  method: 'get',
  path: '/internal/users/{id}',
  tag: 'internal',
  security: 'service',
  summary: 'Get the values of a user',
  description: 'Returns the address, the attributes and the roles of a user who is not disabled.',
  params: z.object({ id: z.string() }),
  headers: tenantHeaders,
  reply: { status: 200, schema: UserValues },
  errors: [...always, 'AUTH_TOKEN_INVALID', 'USER_NOT_FOUND'],
})
