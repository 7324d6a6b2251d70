import { createTenantSlots } from '@surehook/access/limits/tenant-slots'
import { getIssuerKeys } from '@surehook/contracts/http/issuer-keys'
import { unavailable } from '@surehook/service-kit/errors'
import { mount } from '@surehook/service-kit/http/mount'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import type { Router } from 'express'
import type { Pool } from 'pg'
import { type FetchIssuerKeysOptions, fetchIssuerKeys } from '../../issuers/fetch-issuer-keys.ts'
import { namedTenant, type TenantName } from '../../platform/tenant.ts'
import type { RequireService } from './require-service.ts'

export type IssuerKeysDeps = FetchIssuerKeysOptions & {
  pool: Pool
  log: Logger
  requireService: RequireService
}

/** Requests to issuers at the same time: in all, and for each project. */
const room = { all: 64, each: 8 }
const maxWaitMs = 2_000

/**
 * The keys of an issuer that an environment trusts, for the platform's own services. Those cache them
 * and limit how often they ask.
 */
export function issuerKeysRoute(deps: IssuerKeysDeps): (router: Router) => void {
  const { pool, log, requireService } = deps
  const slots = createTenantSlots({ room, maxWaitMs })
  return (router) =>
    mount(router, getIssuerKeys, {
      async authorize({ req }) {
        requireService(req.headers.authorization)
        return namedTenant(req)
      },
      async handle({ query: { issuer } }, { auth: tenant }) {
        // Otherwise a service could be made to ask any address.
        if (!(await trusts(pool, tenant, issuer))) return { keys: [] }
        const { projectId, environment } = tenant
        try {
          return await slots.run(tenant, () =>
            fetchIssuerKeys(deps, issuer, `${projectId}/${environment}`),
          )
        } catch (err) {
          log.warn({ err, projectId, environment, issuer }, 'issuer.keys_unavailable')
          throw unavailable('The keys of the issuer cannot be read', err)
        }
      },
    })
}

async function trusts(
  pool: Pool,
  { projectId, environment }: TenantName,
  issuer: string,
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `select from environment
      where project_id = $1 and name = $2 and deleted_at is null
        and trusted_issuers @> jsonb_build_array(jsonb_build_object('issuer', $3::text))`,
    [projectId, environment, issuer],
  )
  return rowCount === 1
}
