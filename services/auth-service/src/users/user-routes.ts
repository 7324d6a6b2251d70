import { connectionRoom, createTenantSlots } from '@surehook/access/limits/tenant-slots'
import * as access from '@surehook/contracts/http/admin/user-access'
import * as operations from '@surehook/contracts/http/admin/users'
import type { Operation } from '@surehook/contracts/operation'
import { type Handle, mount } from '@surehook/service-kit/http/mount'
import type { Router } from 'express'
import type { Pool } from 'pg'
import type { AdminGate } from '../platform/admin-token.ts'
import { type EnvironmentName, requireEnvironment } from '../platform/environments.ts'
import { createRole, listRoles, unknownRoles } from '../platform/roles.ts'
import type { TenantIdentity, TenantName } from '../platform/tenant.ts'
import { importUsers, toCandidates } from './import-users.ts'
import type { ManageUsers } from './manage-users.ts'
import { findUser, listUsers, toAccount } from './read-users.ts'

const toPlace = ({ project, environment }: EnvironmentName): TenantName => ({
  projectId: project,
  environment,
})

export type UserRoutesDeps = { pool: Pool; users: ManageUsers; authorize: AdminGate }

/**
 * The routes `/auth/admin/…/users` and `…/roles`. They require the administration token, or a
 * management token with the right `users`. One project holds at most a quarter of the database
 * connections, and all projects half, so that administration leaves connections for logins.
 * `authorize` runs before this limit, with one short read.
 */
export function userRoutes({ pool, users, authorize }: UserRoutesDeps): (router: Router) => void {
  const placeOf = async (params: EnvironmentName): Promise<TenantIdentity> => {
    const { projectId, environment, createdAt } = await requireEnvironment(pool, params)
    return { projectId, environment, createdAt }
  }
  const slots = createTenantSlots(connectionRoom(pool, { all: 1 / 2, each: 1 / 4 }))
  const enter = <T>(params: EnvironmentName, work: () => Promise<T>) =>
    slots.run(toPlace(params), work)
  return (router) => {
    const serve = <Op extends Operation>(operation: Op, handle: Handle<Op, void>) =>
      mount(router, operation, {
        authorize,
        handle(input, ctx) {
          const { project, environment } = ctx.req.params
          const of = { project: String(project), environment: String(environment) }
          return enter(of, async () => handle(input, ctx))
        },
      })

    serve(operations.createRole, async ({ params, body }) =>
      createRole(pool, await placeOf(params), body),
    )
    serve(operations.listRoles, async ({ params, query }) =>
      listRoles(pool, await placeOf(params), query),
    )
    serve(operations.listUsers, async ({ params, query }) =>
      listUsers(pool, await placeOf(params), query),
    )
    mount(router, operations.importUsers, {
      authorize,
      handle({ params, body }, origin) {
        // Checked in the turn of the large body, before it waits for a connection.
        const candidates = toCandidates(body.users)
        return enter(params, async () =>
          importUsers(pool, await placeOf(params), { candidates, origin }),
        )
      },
    })
    serve(operations.getUser, async ({ params }) =>
      toAccount(await findUser(pool, await placeOf(params), params.id)),
    )
    mount(router, operations.updateUser, {
      authorize,
      ruleFaults: ({ params, body }) =>
        enter(params, () => unknownRoles(pool, toPlace(params), body.roles ?? [])),
      handle: ({ params, body }, origin) =>
        enter(params, async () => users.change(await placeOf(params), params.id, body, origin)),
    })
    serve(operations.deleteUser, async ({ params }, origin) =>
      users.remove(await placeOf(params), params.id, origin),
    )
    serveAccess(serve, { pool, users })
  }
}

type Serve = <Op extends Operation>(operation: Op, handle: Handle<Op, void>) => void

/** The routes of a user's sessions and locks. */
function serveAccess(serve: Serve, { pool, users }: Pick<UserRoutesDeps, 'pool' | 'users'>): void {
  const environmentOf = async (params: EnvironmentName) => {
    const { auth, projectId, environment, createdAt } = await requireEnvironment(pool, params)
    return { place: { projectId, environment, createdAt }, scope: auth.lockout.scope }
  }
  serve(operations.logoutUser, async ({ params }) => {
    const { place } = await environmentOf(params)
    await users.logout(place, params.id)
  })
  serve(access.listUserSessions, async ({ params, query }) => {
    const { place } = await environmentOf(params)
    return users.sessions(place, params.id, query)
  })
  serve(access.endUserSession, async ({ params }) => {
    const { place } = await environmentOf(params)
    await users.endSession(place, params.id, params.sessionId)
  })
  serve(access.getUserLock, async ({ params }) => {
    const { place, scope } = await environmentOf(params)
    return users.lock(place, params.id, scope)
  })
  serve(operations.unlockUser, async ({ params }) => {
    const { place } = await environmentOf(params)
    await users.unlock(place, params.id)
  })
}
