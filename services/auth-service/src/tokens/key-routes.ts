import { rotateKeys } from '@surehook/contracts/http/admin'
import { mount } from '@surehook/service-kit/http/mount'
import type { Router } from 'express'
import type { Pool } from 'pg'
import { adminGate } from '../platform/admin-token.ts'
import { type EnvironmentName, getEnvironment } from '../platform/environments.ts'
import { livingKeys } from './key-schedule.ts'
import type { SigningKeys } from './signing-keys.ts'

export type KeyRoutesDeps = { pool: Pool; keys: SigningKeys; adminToken: string }

/** The part of `/auth/admin/…` about keys. */
export function keyRoutes({ pool, keys, adminToken }: KeyRoutesDeps): (router: Router) => void {
  const gate = adminGate(adminToken)
  return (router) => {
    mount(router, rotateKeys, {
      authorize: ({ req }) => gate(req.headers.authorization),
      handle: ({ params }) => rotate(pool, keys, params),
    })
  }
}

async function rotate(pool: Pool, keys: SigningKeys, name: EnvironmentName) {
  const { projectId, environment, auth: settings } = await getEnvironment(pool, name)
  const tenant = { projectId, environment, settings }
  // Makes the first ones of an environment that nobody has used.
  await keys.published(tenant)
  const living = livingKeys(await keys.rotate(tenant), Date.now())
  return {
    keys: living.map(({ kid, use, createdAt, activeFrom }) => ({
      kid,
      use,
      createdAt: new Date(createdAt).toISOString(),
      activeFrom: new Date(activeFrom).toISOString(),
    })),
  }
}
