import { emit } from '@surehook/change-capture/emit/capture'
import type { EnvironmentPurge } from '@surehook/contracts/events'
import { environmentPurgesTopic } from '@surehook/contracts/topics'
import { reasonOf } from '@surehook/service-kit/errors'
import { openExpiryDeletion } from '@surehook/service-kit/postgres/delete-expired'
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import type { DeletedEnvironment } from './platform-state.ts'

export type PurgeOptions = {
  service: string
  pool: Pool
  /** Environments with a requested deletion that is not complete. */
  deleted: () => readonly DeletedEnvironment[]
  /**
   * True if the environment is still deleted, by all records acknowledged before the call. Its name
   * may be in use again.
   */
  isDeleted: (environment: DeletedEnvironment) => Promise<boolean>
  /**
   * Deletes the service's data of an environment. Resolves with whether any existed, or is left
   * because `mayGoOn` resolved to false: the process stops, or the environment is not deleted any
   * more.
   */
  purge: (environment: DeletedEnvironment, mayGoOn: () => Promise<boolean>) => Promise<boolean>
  /**
   * Resolves once Kafka has acknowledged all messages that were committed before the call. A later
   * environment of the name begins behind them.
   */
  relayed: () => Promise<void>
  /** Publishes a purge. By default its message is captured. */
  publish?: ((purge: EnvironmentPurge) => Promise<void>) | undefined
  /** Milliseconds after which work that began before the deletion was known has ended. */
  settleMs: number
  log: Logger
}

const lookEveryMs = 2_000

const publishAgainMs = 60_000

type Progress = { dueAt: number; isSettled: boolean }

/**
 * Deletes a service's data of deleted environments at once, and again after `settleMs`. A later
 * pass that finds nothing publishes the purge on `platform.environment-purges`. Replicas need no
 * coordination: deleting and publishing are idempotent.
 */
export function purgeDeleted(options: PurgeOptions): AsyncDisposable {
  const { service, pool, deleted, isDeleted, purge, relayed, settleMs, log } = options
  const publish = options.publish ?? ((purged: EnvironmentPurge) => capturePurge(pool, purged))
  const progress = new Map<string, Progress>()

  async function pass(
    environment: DeletedEnvironment,
    stopping: AbortSignal | undefined,
  ): Promise<void> {
    const { projectId, environment: name, deletedAt } = environment
    const id = `${projectId}/${name}/${deletedAt}`
    const known = progress.get(id) ?? { dueAt: 0, isSettled: false }
    if (performance.now() < known.dueAt) return
    const mayGoOn = async () => !stopping?.aborted && (await isDeleted(environment))
    if (!(await mayGoOn())) return
    const found = await purge(environment, mayGoOn)
    const isPublished = known.isSettled && !found
    if (isPublished) {
      await relayed()
      await publish({ projectId, environment: name, service, deletedAt })
      log.info({ projectId, environment: name }, 'environment.purged')
    }
    // Published again while the deletion is not complete: an older auth-service that did not expect
    // it may have removed it.
    const again = isPublished ? publishAgainMs : settleMs
    progress.set(id, { dueAt: performance.now() + again, isSettled: true })
  }

  return openExpiryDeletion({
    pool,
    jobs: [
      {
        name: 'deleted environments',
        run: async (_pool, stopping) => {
          await purgeEach(deleted(), (one) => pass(one, stopping), { stopping, log })
          return false
        },
      },
    ],
    everyMs: lookEveryMs,
    log,
  })
}

/** The key of a purge on its topic. */
export const purgeKey = ({
  projectId,
  environment,
  service,
}: Omit<EnvironmentPurge, 'deletedAt'>): string => `${projectId}/${environment}/${service}`

async function capturePurge(pool: Pool, purge: EnvironmentPurge): Promise<void> {
  const header = { topic: environmentPurgesTopic, key: purgeKey(purge) }
  await emit(pool, { service: purge.service, header, body: JSON.stringify(purge) })
}

/**
 * Purges each environment. One that fails is logged and does not stop the others. The next round
 * tries it again.
 */
export async function purgeEach<
  Environment extends Pick<DeletedEnvironment, 'projectId' | 'environment'>,
>(
  deleted: readonly Environment[],
  purge: (environment: Environment) => Promise<void>,
  { stopping, log }: { stopping: AbortSignal | undefined; log: Logger },
): Promise<void> {
  for (const one of deleted) {
    if (stopping?.aborted) return
    try {
      await purge(one)
    } catch (err) {
      const { projectId, environment } = one
      log.warn({ projectId, environment, reason: reasonOf(err) }, 'environment.purge_failed')
    }
  }
}
