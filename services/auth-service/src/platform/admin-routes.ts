import type { StateWriter } from '@surehook/change-capture/emit/state-writer'
import {
  createManagementToken,
  deleteManagementToken,
  type Environment,
  getEnvironment,
  listEnvironments,
  listManagementTokens,
  listProjects,
  putEnvironment,
  testNotify,
} from '@surehook/contracts/http/admin/admin'
import { deleteEnvironment, deleteProject } from '@surehook/contracts/http/admin/deletion'
import type { Operation } from '@surehook/contracts/operation'
import { type Handle, mount } from '@surehook/service-kit/http/mount'
import type { Router } from 'express'
import type { Pool } from 'pg'
import { queueTestAlert } from '../alerts/queue-alert.ts'
import type { AdminGate, ProjectGate } from './admin-token.ts'
import type { ReadChangesEnd } from './changes-end.ts'
import * as deletions from './delete-environment.ts'
import * as environments from './environments.ts'
import * as tokens from './management-tokens.ts'

export type AdminRoutesDeps = {
  pool: Pool
  writer: StateWriter
  authorize: AdminGate
  authorizeInProject: ProjectGate
  changesEnd: ReadChangesEnd
  settings: environments.SettingsDeps
  /** Called after the environment was committed and published. Never rejects. */
  onEnvironment: (environment: Environment) => Promise<void>
}

/** The routes `/auth/admin/…`. All but one require the administration token. */
export function adminRoutes(deps: AdminRoutesDeps): (router: Router) => void {
  const { pool, writer, authorize, onEnvironment, settings } = deps
  return (router) => {
    const serve = <Op extends Operation>(operation: Op, handle: Handle<Op, void>) =>
      mount(router, operation, { authorize, handle })

    mount(router, putEnvironment, {
      authorize,
      ruleFaults: ({ params, body }) =>
        environments.defaultRoleFaults(pool, params, body.auth?.defaultRole),
      async handle({ params, body }) {
        const environment = await environments.putEnvironment(deps, params, body)
        await onEnvironment(environment)
        return environment
      },
    })
    serve(getEnvironment, ({ params }) => environments.getEnvironment(pool, params))
    serve(testNotify, async ({ params }) => {
      const recipients = await queueTestAlert({ pool, ...settings }, params)
      if (recipients === undefined) throw environments.environmentNotFound()
      return { recipients }
    })
    serve(deleteEnvironment, ({ params }) => deletions.deleteEnvironment(writer, params))
    serve(deleteProject, ({ params }) => deletions.deleteProject(writer, params.project))
    serve(listProjects, ({ query }) => environments.listProjects(pool, query))
    mount(router, listEnvironments, {
      authorize: deps.authorizeInProject,
      handle: ({ params }, { auth }) =>
        environments.listEnvironments(pool, params.project, auth?.environments ?? null),
    })
    mount(router, createManagementToken, {
      authorize,
      ruleFaults: ({ params, body }) => tokens.tokenFaults(pool, params.project, body),
      handle: ({ params, body }) => tokens.createManagementToken(writer, params.project, body),
    })
    serve(listManagementTokens, ({ params, query }) =>
      tokens.listManagementTokens(pool, params.project, query),
    )
    serve(deleteManagementToken, ({ params }) =>
      tokens.deleteManagementToken(writer, params.project, params.id),
    )
  }
}
