import {
  closeEndpoint,
  getEndpoint,
  listEndpoints,
} from '@surehook/contracts/http/webhooks/endpoints'
import type { Router } from 'express'
import type { ServeTenants } from '../tenants/serve-tenants.ts'
import type { Endpoints } from './endpoints.ts'

export type EndpointRoutesDeps = {
  serve: ServeTenants
  endpoints: Endpoints
}

export function endpointRoutes({ serve: serveTenants, endpoints }: EndpointRoutesDeps) {
  return (router: Router): void => {
    const serve = serveTenants.all(router)

    serve(listEndpoints, ({ query }, { auth }) => endpoints.list(auth, query))
    serve(getEndpoint, ({ params }, { auth }) => endpoints.get(auth, params.id))
    serve(closeEndpoint, ({ params }, { auth }) => endpoints.close(auth, params.id))
  }
}
