import type { Operation } from '@surehook/contracts/operation'
import { type Handle, mount } from '@surehook/service-kit/http/mount'
import type { RequestContext } from '@surehook/service-kit/http/request/request-context'
import type { Router } from 'express'
import type { ConnectionSlots } from './connection-slots.ts'
import type { Tenant } from './tenant.ts'

export type Serve = <Op extends Operation>(operation: Op, handle: Handle<Op, Tenant>) => void

export type ServeTenants = {
  all: (router: Router) => Serve
  /** For operations that only read PostgreSQL: each takes a place of its project. */
  reading: (router: Router) => Serve
}

/** Serves operations to the tenants of management tokens. */
export const serveTenants = (
  { read }: ConnectionSlots,
  authorize: (ctx: RequestContext) => Promise<Tenant>,
): ServeTenants => ({
  all: (router) => (operation, handle) => mount(router, operation, { authorize, handle }),
  reading: (router) => (operation, handle) =>
    mount(router, operation, {
      authorize,
      handle: (input, ctx) => read(ctx.auth)(async () => handle(input, ctx)),
    }),
})
