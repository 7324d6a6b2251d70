import {
  getAuthorizationServerMetadata,
  getIssuerJwks,
  getIssuerMetadata,
  getOpenIdConfiguration,
} from '@surehook/contracts/http/discovery'
import { mount, Reply } from '@surehook/service-kit/http/mount'
import type { RequestContext } from '@surehook/service-kit/http/request/request-context'
import type { Router } from 'express'
import { cacheHeaders, type JwksAnswer } from '../keys/jwks.ts'
import type { FindTenant, Tenant } from '../platform/tenant.ts'
import { issuerOf, metadataOf } from './issuer.ts'

export type DiscoveryRoutesDeps = {
  findTenant: FindTenant
  jwks: (tenant: Tenant) => Promise<JwksAnswer>
  publicUrl: string
}

/**
 * Serves verifiers that know only `iss`. A name that no tenant can have gets the answer of an
 * unknown tenant.
 */
export function discoveryRoutes(deps: DiscoveryRoutesDeps): (router: Router) => void {
  const { findTenant, jwks, publicUrl } = deps
  const authorize = ({ req: { params } }: RequestContext) =>
    findTenant({
      projectId: String(params['project']),
      environment: String(params['environment']),
    })
  return (router) => {
    mount(router, getIssuerJwks, {
      authorize,
      handle: async (_, { auth }) => cacheable((await jwks(auth)).body),
    })
    for (const operation of [
      getOpenIdConfiguration,
      getIssuerMetadata,
      getAuthorizationServerMetadata,
    ]) {
      mount(router, operation, {
        authorize,
        handle: (_, { auth }) => cacheable(metadataOf(issuerOf(publicUrl, auth))),
      })
    }
  }
}

const cacheable = (body: object) => new Reply(body, cacheHeaders(body))
