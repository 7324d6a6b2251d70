import { rotateKeys } from '@surehook/contracts/http/admin'
import { mount } from '@surehook/service-kit/http/mount'
import type { Router } from 'express'
import type { Pool } from 'pg'
import { adminGate } from '../platform/admin-token.ts'
import { type EnvironmentName, getEnvironment } from '../platform/environments.ts'
import { livingKeys } from './key-schedule.ts'
import type { SigningKeys } from './signing-keys.ts'

export type KeyRoutesDeps = { pool: Pool; keys: SigningKeys; adminTokens: readonly string[] }

/** The part of `/auth/admin/…` about keys. */
export function keyRoutes({ pool, keys, adminTokens }: KeyRoutesDeps): (router: Router) => void {
  const gate = adminGate(adminTokens)
  return (router) => {
    mount(router, rotateKeys, {
      authorize: ({ req }) => gate(req.headers.authorization),
      async handle({ params, query }, { log }) {
        const immediately = query.immediately === 'true'
        const answer = await rotate({ pool, keys }, params, immediately)
        const { project: projectId, environment } = params
        if (immediately) log.warn({ projectId, environment }, 'keys.replaced')
        return answer
      },
    })
  }
}

async function rotate(
  { pool, keys }: Pick<KeyRoutesDeps, 'pool' | 'keys'>,
  name: EnvironmentName,
  immediately: boolean,
) {
  const { projectId, environment, auth: settings } = await getEnvironment(pool, name)
  const tenant = { projectId, environment, settings }
  // Makes the first ones of an environment that nobody has used.
  await keys.published(tenant)
  const made = await (immediately ? keys.replace(tenant) : keys.rotate(tenant))
  const living = livingKeys(made, Date.now())
  return {
    keys: living.map(({ kid, use, createdAt, activeFrom }) => ({
      kid,
      use,
      createdAt: new Date(createdAt).toISOString(),
      activeFrom: new Date(activeFrom).toISOString(),
    })),
  }
}
