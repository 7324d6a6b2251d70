import { purgeEach, purgeKey } from '@surehook/access/purge-deleted'
import type { StateWriter } from '@surehook/change-capture/emit/state-writer'
import type { EnvironmentPurge } from '@surehook/contracts/events'
import { environmentPurgesTopic, environmentsTopic } from '@surehook/contracts/topics'
import { openTopicView, type TopicViewOptions } from '@surehook/kafka/views/topic-view'
import {
  type ExpiryDeletion,
  openExpiryDeletion,
} from '@surehook/service-kit/postgres/delete-expired'
import { deleteInBatches } from '@surehook/service-kit/postgres/delete-in-batches'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import type { Pool } from 'pg'

/** The other services that hold data of an environment. */
const holders = ['data-api', 'postgres-source', 'webhook-api'] as const

/** A user takes its codes along. */
const rowsAtOnce = 1_000
const lookEveryMs = 2_000

/** In order of deletion: rows with foreign keys go before the rows that they reference. */
const tables = ['mail_outbox', 'session', 'revocation', 'signing_key', 'user_account', 'role']

export type PurgeDeps = {
  pool: Pool
  writer: Pick<StateWriter, 'write'>
  kafka: TopicViewOptions<EnvironmentPurge>['kafka']
  codec: TopicViewOptions<EnvironmentPurge>['codec']
  clientId: string
  log: Logger
}

type DeletedEnvironment = { projectId: string; environment: string; deletedAt: Date }

/**
 * Deletes this service's data of deleted environments. Deletes the environment itself once every
 * other service has published that it deleted its data.
 */
export async function openPurge(deps: PurgeDeps): Promise<AsyncDisposable> {
  const { pool, writer, kafka, codec, clientId, log } = deps
  await using opening = new AsyncDisposableStack()
  const purged = new Map<string, string>()
  opening.use(
    await openTopicView<EnvironmentPurge>({
      kafka,
      codec,
      clientId: `${clientId}.purges`,
      topics: [environmentPurgesTopic],
      apply(_topic, key, purge) {
        if (purge === null) purged.delete(key)
        else purged.set(key, purge.deletedAt)
      },
      log,
    }),
  )
  const isGone = (environment: DeletedEnvironment) =>
    holders.every(
      (holder) =>
        purged.get(purgeKey({ ...environment, service: holder })) ===
        environment.deletedAt.toISOString(),
    )
  const purge = async (environment: DeletedEnvironment, stopping: AbortSignal | undefined) => {
    await purgeOwn(pool, environment, stopping)
    if (stopping?.aborted || !isGone(environment)) return
    await forget(writer, environment)
    const { projectId, environment: name } = environment
    log.info({ projectId, environment: name }, 'environment.deleted')
  }
  const run: ExpiryDeletion['run'] = async (_pool, stopping) => {
    // Read before the rows: the query then returns the deletion of every purge that is known by
    // now.
    const published = [...purged.keys()]
    const deleted = await findDeleted(pool)
    await dropNotes(writer, published, deleted)
    await purgeEach(deleted, (one) => purge(one, stopping), { stopping, log })
    return false
  }
  const jobs = [{ name: 'deleted environments', run }]
  opening.use(openExpiryDeletion({ pool, jobs, log, everyMs: lookEveryMs }))
  const resources = opening.move()
  return { [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

async function findDeleted(pool: Pool): Promise<DeletedEnvironment[]> {
  const { rows } = await pool.query<DeletedEnvironment>(
    `select project_id as "projectId", name as environment, deleted_at as "deletedAt"
       from environment where deleted_at is not null order by deleted_at`,
  )
  return rows
}

/**
 * Deletes nothing if another replica was faster, because a new environment may already use the
 * name. Publishes no events: nobody is left to receive them.
 */
async function purgeOwn(
  pool: Pool,
  { projectId, environment, deletedAt }: DeletedEnvironment,
  stopping: AbortSignal | undefined,
): Promise<void> {
  for (const table of tables) {
    await deleteInBatches(pool, {
      table,
      where: `project_id = $1 and environment = $2
        and exists (select from environment e
                     where e.project_id = $1 and e.name = $2 and e.deleted_at = $3)`,
      values: [projectId, environment, deletedAt],
      rows: rowsAtOnce,
      mayGoOn: async () => !stopping?.aborted,
    })
  }
}

/**
 * Removes late purge messages: a replica may publish one after another did and the deletion was
 * complete.
 */
async function dropNotes(
  writer: PurgeDeps['writer'],
  published: readonly string[],
  deleted: readonly DeletedEnvironment[],
): Promise<void> {
  const awaited = new Set(
    deleted.flatMap((one) => holders.map((holder) => purgeKey({ ...one, service: holder }))),
  )
  const late = published.filter((key) => !awaited.has(key))
  if (late.length === 0) return
  await writer.write(async (_tx, emit) => {
    for (const key of late) await emit({ topic: environmentPurgesTopic, key, state: null })
  })
}

function forget(writer: PurgeDeps['writer'], deleted: DeletedEnvironment): Promise<void> {
  const { projectId, environment, deletedAt } = deleted
  return writer.write(async (tx, emit) => {
    const { rowCount } = await tx.query(
      'delete from environment where project_id = $1 and name = $2 and deleted_at = $3',
      [projectId, environment, deletedAt],
    )
    // Another replica was faster.
    if (rowCount === 0) return
    await tx.query(
      `delete from project where id = $1 and deleted_at is not null
          and not exists (select from environment where project_id = $1)`,
      [projectId],
    )
    await emit({ topic: environmentsTopic, key: `${projectId}/${environment}`, state: null })
    for (const holder of holders) {
      await emit({
        topic: environmentPurgesTopic,
        key: purgeKey({ ...deleted, service: holder }),
        state: null,
      })
    }
  })
}
