import type { AlertedEnvironment } from '@surehook/access/platform-state'
import type { StateWriter } from '@surehook/change-capture/emit/state-writer'
import type { WebhookAlert } from '@surehook/contracts/events/webhook-alert'
import { newEventId } from '@surehook/contracts/ids'
import { alertsTopic } from '@surehook/contracts/topics'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import type { Pool, PoolClient } from 'pg'
import { runBackgroundWork } from '../jobs/background-work.ts'
import type { Pools } from '../tenants/open-database.ts'
import { decideAlert } from './decide-alert.ts'
import { countIncidents, type IncidentCounts, lockIncidents } from './incident-store.ts'

export type AlertDeps = Pools & {
  writer: Pick<StateWriter, 'write'>
  access: { alertedEnvironments(): readonly AlertedEnvironment[] }
  log: Logger
}

const lookEveryMs = 2_000

/**
 * Publishes an alert when webhooks begin to fail, recover or are deactivated, at most one per environment and
 * digest interval. All replicas try. The transaction that publishes notes what people are told, so
 * that a crash loses and repeats nothing.
 */
export function runAlerts({ pool, historyPool, writer, access, log }: AlertDeps): AsyncDisposable {
  return runBackgroundWork({
    async work(signal) {
      for (const environment of await findDue(pool, access.alertedEnvironments())) {
        if (signal.aborted) break
        const counts = await countIncidents({ pool, historyPool }, environment)
        const alert = await writer.write(async (tx, emit) => {
          const decided = await takeAlert(tx, environment, counts)
          const key = `${environment.projectId}/${environment.environment}`
          if (decided !== null) await emit({ topic: alertsTopic, key, state: decided })
          return decided
        })
        if (alert === null) continue
        const { id: alertId, projectId, webhooks } = alert
        log.info({ alertId, projectId, webhooks: webhooks.length }, 'alert.published')
      }
      return lookEveryMs
    },
    onFailure: (err) => log.warn({ err }, 'alert.failed'),
    retryMs: lookEveryMs,
  })
}

/** Environments with something to tell whose digest interval is over. */
async function findDue(
  pool: Pool,
  environments: readonly AlertedEnvironment[],
): Promise<AlertedEnvironment[]> {
  if (environments.length === 0) return []
  const { rows } = await pool.query<{ position: number }>(
    `select e.position::integer - 1 as position
       from unnest($1::text[], $2::text[], $3::integer[]) with ordinality
         as e(project_id, environment, seconds, position)
       left join alert_digest d using (project_id, environment)
      where coalesce(d.sent_at, '-infinity') <= now() - e.seconds * interval '1 s'
        and exists (
          select from incident i join subscription s on s.id = i.subscription_id
           where i.project_id = e.project_id and i.environment = e.environment
             and (i.succeeded_at > i.failed_at or s.disabled_at is not null
               or i.circuit_opened_at is not null and not i.circuit_told
               or i.dead_letter_at is not null and not i.dead_letter_told))`,
    [
      environments.map(({ projectId }) => projectId),
      environments.map(({ environment }) => environment),
      environments.map(({ digestInterval }) => digestInterval),
    ],
  )
  return rows.flatMap(({ position }) => environments[position] ?? [])
}

async function takeAlert(
  tx: PoolClient,
  environment: AlertedEnvironment,
  counts: IncidentCounts,
): Promise<WebhookAlert | null> {
  const { projectId, environment: name, digestInterval } = environment
  const tenant = [projectId, name]
  await tx.query(
    `insert into alert_digest (project_id, environment, sent_at) values ($1, $2, '-infinity')
     on conflict do nothing`,
    tenant,
  )
  const turn = await tx.query(
    `select from alert_digest where project_id = $1 and environment = $2
        and sent_at <= now() - $3 * interval '1 s' for update skip locked`,
    [...tenant, digestInterval],
  )
  if (turn.rowCount === 0) return null
  const now = Date.now()
  const incidents = await lockIncidents(tx, environment, counts)
  const quietMs = digestInterval * 1_000
  const { webhooks, more, told, ended } = decideAlert(incidents, { now, quietMs })
  await tx.query('delete from incident where subscription_id = any($1)', [ended])
  if (webhooks.length === 0) return null
  await tx.query(
    `update incident set circuit_told = circuit_opened_at is not null,
            dead_letter_told = dead_letter_at is not null
      where subscription_id = any($1)`,
    [told],
  )
  await tx.query(
    'update alert_digest set sent_at = now() where project_id = $1 and environment = $2',
    tenant,
  )
  return {
    ...{ id: newEventId(), projectId, environment: name, webhooks, more },
    environmentCreatedAt: environment.createdAt,
    at: new Date(now).toISOString(),
  }
}
