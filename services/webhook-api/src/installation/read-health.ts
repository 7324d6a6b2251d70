import type { InstallationHealth } from '@surehook/contracts/http/webhooks/installation'
import { boundedBy } from '@surehook/service-kit/bounded'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import type { Circuits } from '../endpoints/circuits.ts'
import { countAttempts } from './attempt-counts.ts'
import { cachedFor } from './cached-for.ts'
import { answerWithinMs, type Dependencies, lookAtDependencies } from './dependencies.ts'
import { readOpenCircuits } from './open-circuits.ts'

export type HealthDeps = Dependencies & { circuits: Pick<Circuits, 'read'>; log: Logger }

const cachedMs = 5_000
/** In a large installation, a sum over a day reads millions of rows. */
const countsCachedMs = 30_000

/** Reads the health of the installation. Each part fails alone, and a finding says why. */
export function healthReader(deps: HealthDeps): () => Promise<InstallationHealth> {
  const { historyPool, log } = deps
  const counts = cachedFor(countsCachedMs, () => countAttempts(historyPool, Date.now()))
  // A finding about the dependency says why there is nothing.
  const orNull = async <T>(part: string, work: Promise<T>): Promise<T | null> => {
    try {
      return await boundedBy(answerWithinMs, work, 'no answer')
    } catch (err) {
      log.debug({ err, part }, 'health.part_missing')
      return null
    }
  }
  return cachedFor(cachedMs, async () => {
    const now = Date.now()
    const [dependencies, circuits, deliveries] = await Promise.all([
      lookAtDependencies(deps),
      orNull('circuits', readOpenCircuits(deps, now)),
      orNull('counts', counts()),
    ])
    return { at: new Date(now).toISOString(), ...dependencies, circuits, deliveries }
  })
}
