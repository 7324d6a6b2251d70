import type { Router } from 'express'
import { type IntrospectionDeps, introspectionRoute } from './introspection-route.ts'
import { type IssuerKeysDeps, issuerKeysRoute } from './issuer-keys-route.ts'
import { createRequireService } from './require-service.ts'
import { type UserValuesDeps, userValuesRoute } from './user-values-route.ts'

type ServiceRoutesDeps = Omit<
  IntrospectionDeps & IssuerKeysDeps & UserValuesDeps,
  'requireService'
> & {
  /** The bearer tokens of the platform's own services. */
  serviceTokens: readonly string[]
}

/** The routes for the platform's own services. */
export function serviceRoutes({
  serviceTokens,
  ...deps
}: ServiceRoutesDeps): (router: Router) => void {
  const requireService = createRequireService(serviceTokens)
  const groups = [
    introspectionRoute({ ...deps, requireService }),
    userValuesRoute({ ...deps, requireService }),
    issuerKeysRoute({ ...deps, requireService }),
  ]
  return (router) => {
    for (const addTo of groups) addTo(router)
  }
}
