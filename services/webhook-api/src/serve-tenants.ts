import { createTenantGate } from '@surehook/access/limits/tenant-gate'
import type { Operation } from '@surehook/contracts/operation'
import { type Handle, mount } from '@surehook/service-kit/http/mount'
import type { RequestContext } from '@surehook/service-kit/http/request/request-context'
import type { Router } from 'express'
import type { Pool } from 'pg'
import type { Tenant } from './tenant.ts'

export type Serve = <Op extends Operation>(operation: Op, handle: Handle<Op, Tenant>) => void

export type ServeTenants = {
  /** For operations that hold a database connection while they work. */
  limited: (router: Router) => Serve
  /** For operations with a limit of their own that hold a connection only for moments. */
  unlimited: (router: Router) => Serve
}

/** Equals the longest wait for a database connection. */
const maxWaitMs = 3_000

/**
 * Serves operations to the tenants of management tokens. The requests of one project hold at most a
 * quarter of the database connections to read, and a quarter to write: the rest is for others and
 * for the history. Writes also wait for Kafka, so they have places of their own.
 */
export function serveTenants(
  pool: Pick<Pool, 'options'>,
  authorize: (ctx: RequestContext) => Promise<Tenant>,
): ServeTenants {
  const maxInside = Math.max(1, Math.floor(pool.options.max / 4))
  const reads = createTenantGate({ maxInside, maxWaitMs })
  const writes = createTenantGate({ maxInside, maxWaitMs })
  return {
    limited: (router) => (operation, handle) =>
      mount(router, operation, {
        authorize,
        handle: (input, ctx) =>
          (operation.method === 'get' ? reads : writes).pass(
            // Without the environment: a project may have many.
            { projectId: ctx.auth.projectId, environment: '' },
            async () => handle(input, ctx),
          ),
      }),
    unlimited: (router) => (operation, handle) => mount(router, operation, { authorize, handle }),
  }
}
