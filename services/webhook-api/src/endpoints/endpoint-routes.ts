import {
  closeEndpoint,
  getEndpoint,
  listEndpoints,
} from '@surehook/contracts/http/webhooks/endpoints'
import type { Operation } from '@surehook/contracts/operation'
import { type Handle, mount } from '@surehook/service-kit/http/mount'
import type { RequestContext } from '@surehook/service-kit/http/request/request-context'
import type { Router } from 'express'
import type { Tenant } from '../tenant.ts'
import type { Endpoints } from './endpoints.ts'

export type EndpointRoutesDeps = {
  authorize: (ctx: RequestContext) => Promise<Tenant>
  endpoints: Endpoints
}

export function endpointRoutes({ authorize, endpoints }: EndpointRoutesDeps) {
  return (router: Router): void => {
    const serve = <Op extends Operation>(operation: Op, handle: Handle<Op, Tenant>) =>
      mount(router, operation, { authorize, handle })

    serve(listEndpoints, ({ query }, { auth }) => endpoints.list(auth, query))
    serve(getEndpoint, ({ params }, { auth }) => endpoints.get(auth, params.id))
    serve(closeEndpoint, ({ params }, { auth }) => endpoints.close(auth, params.id))
  }
}
