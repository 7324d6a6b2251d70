import { emit } from '@surehook/change-capture/emit/capture'
import { environmentPurgesTopic } from '@surehook/contracts/topics'
import { openExpiryDeletion } from '@surehook/service-kit/postgres/delete-expired'
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import type { DeletedEnvironment } from './platform-state.ts'

export type PurgeOptions = {
  service: string
  pool: Pool
  /** The environments whose deletion was asked for and is not complete. */
  deleted: () => readonly DeletedEnvironment[]
  /** Whether an environment is (still) none, by what was acknowledged before the call: its name may be in use again. */
  isDeleted: (environment: DeletedEnvironment) => Promise<boolean>
  /** Deletes what the service holds of an environment; resolves with whether there was anything. */
  purge: (environment: DeletedEnvironment) => Promise<boolean>
  /** Work that began before the deletion was known here has ended after this time. */
  settleMs: number
  log: Logger
}

const lookEveryMs = 2_000

type Progress = { dueAt: number; isSettled: boolean; isPublished: boolean }

/**
 * Deletes what a service holds of deleted environments: at once, and again when late work has settled.
 * A pass that finds nothing after that is published on `platform.environment-purges`. Each replica does so
 * by itself: deleting and publishing twice changes nothing.
 */
export function purgeDeleted(options: PurgeOptions): AsyncDisposable {
  const { service, pool, deleted, isDeleted, purge, settleMs, log } = options
  const progress = new Map<string, Progress>()

  async function pass(environment: DeletedEnvironment): Promise<void> {
    const { projectId, environment: name, deletedAt } = environment
    const id = `${projectId}/${name}/${deletedAt}`
    const known = progress.get(id) ?? { dueAt: 0, isSettled: false, isPublished: false }
    if (known.isPublished || performance.now() < known.dueAt) return
    if (!(await isDeleted(environment))) return
    const found = await purge(environment)
    const isPublished = known.isSettled && !found
    if (isPublished) {
      const header = { topic: environmentPurgesTopic, key: `${projectId}/${name}/${service}` }
      const body = JSON.stringify({ projectId, environment: name, service, deletedAt })
      await emit(pool, { service, header, body })
      log.info({ projectId, environment: name }, 'environment.purged')
    }
    progress.set(id, { dueAt: performance.now() + settleMs, isSettled: true, isPublished })
  }

  return openExpiryDeletion({
    pool,
    jobs: [
      {
        name: 'deleted environments',
        run: async () => {
          for (const environment of deleted()) await pass(environment)
          return false
        },
      },
    ],
    everyMs: lookEveryMs,
    log,
  })
}
