import { connectionRoom, createTenantSlots } from '@surehook/access/limits/tenant-slots'
import { getUserValues } from '@surehook/contracts/http/user-values'
import { mount } from '@surehook/service-kit/http/mount'
import type { Router } from 'express'
import type { Pool } from 'pg'
import type { ResolveTenant } from '../../platform/tenant.ts'
import { findUser, userNotFound } from '../../users/read-users.ts'
import type { RequireService } from './require-service.ts'

export type UserValuesDeps = {
  pool: Pool
  resolveTenant: ResolveTenant
  requireService: RequireService
}

/**
 * The address, the attributes and the roles of a user, for the platform's own services. A disabled
 * user is as unknown as a deleted one. One project holds at most an eighth of the database
 * connections, and all projects a quarter, so that reads of records leave connections for logins.
 */
export function userValuesRoute(deps: UserValuesDeps): (router: Router) => void {
  const { pool, resolveTenant, requireService } = deps
  const slots = createTenantSlots(connectionRoom(pool, { all: 1 / 4, each: 1 / 8 }))
  return (router) =>
    mount(router, getUserValues, {
      async authorize({ req }) {
        requireService(req.headers.authorization)
        return resolveTenant(req)
      },
      handle: ({ params }, { auth: tenant }) =>
        slots.run(tenant, async () => {
          const { disabled, email, attributes, roles } = await findUser(pool, tenant, params.id)
          if (disabled) throw userNotFound()
          return { email, attributes, roles }
        }),
    })
}
