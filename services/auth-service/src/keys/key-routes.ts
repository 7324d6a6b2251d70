import type { StateWriter } from '@surehook/change-capture/emit/state-writer'
import { rotateKeys } from '@surehook/contracts/http/admin/admin'
import { mount } from '@surehook/service-kit/http/mount'
import type { Router } from 'express'
import type { Pool } from 'pg'
import type { AdminGate } from '../platform/admin-token.ts'
import {
  type EnvironmentName,
  raiseKeyEpoch,
  requireEnvironment,
} from '../platform/environments.ts'
import { livingKeys } from './key-schedule.ts'
import type { SigningKeys } from './signing-keys.ts'

export type KeyRoutesDeps = {
  pool: Pool
  writer: Pick<StateWriter, 'writeAlways'>
  keys: SigningKeys
  authorize: AdminGate
}

/** The key routes below `/auth/admin/…`. */
export function keyRoutes(deps: KeyRoutesDeps): (router: Router) => void {
  return (router) => {
    mount(router, rotateKeys, {
      authorize: deps.authorize,
      async handle({ params, query }, { log }) {
        const immediately = query.immediately === 'true'
        const answer = await rotate(deps, params, immediately)
        const { project: projectId, environment } = params
        if (immediately) log.warn({ projectId, environment }, 'keys.replaced')
        return answer
      },
    })
  }
}

async function rotate(
  { pool, writer, keys }: KeyRoutesDeps,
  name: EnvironmentName,
  immediately: boolean,
) {
  const { projectId, environment, auth: settings } = await requireEnvironment(pool, name)
  const tenant = { projectId, environment, settings }
  // Makes the first keys of an environment that nobody has used yet.
  await keys.published(tenant)
  const made = await (immediately ? replaceKeys({ writer, keys }, name) : keys.rotate(tenant))
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

/**
 * Revokes every key at once: on this service with the commit, and on every verifier that reads
 * `platform.environments` before the answer. It commits without waiting for Kafka, because a leaked
 * key must not stay valid here while Kafka is down.
 */
function replaceKeys(
  { writer, keys }: Pick<KeyRoutesDeps, 'writer' | 'keys'>,
  name: EnvironmentName,
) {
  return writer.writeAlways(async (tx, emit) => {
    const made = await keys.replace(tx, { projectId: name.project, environment: name.environment })
    await raiseKeyEpoch(tx, emit, name)
    return made
  })
}
