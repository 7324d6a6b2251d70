import * as z from 'zod'
import { defineOperation } from '../operation.ts'
import { UserAttributes } from './admin/user-attributes.ts'
import { always, tenantHeaders } from './auth.ts'

/** The values of a user that row rules compare records with, besides those of the token. */
export const UserValues = z.object({ email: z.string(), attributes: UserAttributes })
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
  description: 'Returns the address and the attributes of a user who is not disabled.',
  params: z.object({ id: z.string() }),
  headers: tenantHeaders,
  reply: { status: 200, schema: UserValues },
  errors: [...always, 'AUTH_TOKEN_INVALID', 'USER_NOT_FOUND'],
})
