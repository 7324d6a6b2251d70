import type { Environment } from '@surehook/contracts/http/admin/admin'
import { boundedBy } from '@surehook/service-kit/bounded'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import type { SigningKeys } from './signing-keys.ts'

export type PrepareKeysDeps = {
  keys: Pick<SigningKeys, 'prepare'>
  log: Logger
  maxWaitMs?: number
}

/**
 * Makes the keys of an environment that has authentication enabled, so that its first user does not
 * wait for them. If this fails or takes longer than `maxWaitMs`, the first use makes them.
 */
export function createPrepareKeys({ keys, log, maxWaitMs = 3_000 }: PrepareKeysDeps) {
  return async ({ projectId, environment, auth: settings }: Environment): Promise<void> => {
    if (!settings.enabled) return
    try {
      const prepared = keys.prepare({ projectId, environment, settings })
      await boundedBy(maxWaitMs, prepared, 'The keys are not made yet')
    } catch (err) {
      log.warn({ err, projectId, environment }, 'keys.not.prepared')
    }
  }
}
