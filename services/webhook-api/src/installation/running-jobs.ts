import { webhookName, withoutQuery } from '@surehook/contracts/events/delivery-events'
import {
  installationLimits,
  type RunningJobs,
  type RunningRecovery,
  type RunningReplay,
} from '@surehook/contracts/http/webhooks/installation'
import { boundedBy } from '@surehook/service-kit/bounded'
import { AppError } from '@surehook/service-kit/errors'
import type { Pool } from 'pg'
import type { Rebuilds } from '../rebuild/open-rebuilds.ts'
import { countNext } from '../redelivery/recovery/dead-letters.ts'
import { filedOn } from '../redelivery/recovery/recovery-store.ts'
import type { Pools } from '../tenants/open-database.ts'
import { cachedFor } from './cached-for.ts'

const cachedMs = 2_000
/** For all recoveries together. */
const countWithinMs = 4_000
const { jobs: most, countedDeadLetters } = installationLimits

type JobRow = {
  id: string
  project_id: string
  environment: string
  subscription_id: string
  url: string | null
  name: string | null
  key: string | null
  /** How many jobs there are. */
  total: number
}

const job = (row: JobRow) => ({
  projectId: row.project_id,
  environment: row.environment,
  id: row.id,
  webhookId: row.subscription_id,
  webhookName: webhookName(row),
  url: row.url === null ? null : withoutQuery(row.url),
})

const leftOut = ([row]: readonly JobRow[]) => Math.max(0, (row?.total ?? 0) - most)

export type JobsDeps = Pools & { rebuilds: Pick<Rebuilds, 'newest'> }

/** Reads the jobs of all tenants that run now. */
export function jobsReader({ pool, historyPool, rebuilds }: JobsDeps) {
  return cachedFor(cachedMs, async (): Promise<RunningJobs> => {
    const at = new Date().toISOString()
    const [rebuild, replays, recoveries] = await Promise.all([
      rebuilds.newest(),
      runningReplays(pool),
      runningRecoveries({ pool, historyPool }),
    ])
    return { at, rebuild, ...replays, ...recoveries }
  })
}

type ReplayRow = JobRow & {
  span_from: Date
  span_until: Date
  scanned: number
  deliveries: number
  left: number
  created_at: Date
}

async function runningReplays(
  pool: Pool,
): Promise<Pick<RunningJobs, 'replays' | 'replaysLeftOut'>> {
  const { rows } = await pool.query<ReplayRow>(
    `select r.id, r.project_id, r.environment, r.subscription_id, s.url, s.name, s.key, r.span_from, r.span_until,
       r.scanned::float8 as scanned, r.deliveries::float8 as deliveries, r.created_at,
       (select coalesce(sum((span ->> 'to')::float8 - (span ->> 'from')::float8), 0)
        from jsonb_array_elements(r.spans) span) as "left",
       count(*) over ()::integer as total
     from replay r left join subscription s on s.id = r.subscription_id
     where r.state = 'running' order by r.created_at, r.id limit $1`,
    [most],
  )
  const shown = (row: ReplayRow): RunningReplay => ({
    ...job(row),
    from: row.span_from.toISOString(),
    until: row.span_until.toISOString(),
    scanned: row.scanned,
    deliveries: row.deliveries,
    left: row.left,
    createdAt: row.created_at.toISOString(),
  })
  return { replays: rows.map(shown), replaysLeftOut: leftOut(rows) }
}

type RecoveryRow = JobRow & {
  since: Date
  until: Date
  requested_at: Date
  filed_on: string
  position_at: Date
  position_id: string
}

async function runningRecoveries({
  pool,
  historyPool,
}: Pools): Promise<Pick<RunningJobs, 'recoveries' | 'recoveriesLeftOut'>> {
  const { rows } = await pool.query<RecoveryRow>(
    `select r.*, ${filedOn}, s.url, s.name, s.key, count(*) over ()::integer as total
     from recovery r left join subscription s on s.id = r.subscription_id
     order by r.requested_at, r.id limit $1`,
    [most],
  )
  const recoveries: RunningRecovery[] = []
  const endsAt = performance.now() + countWithinMs
  // One after another: the requests of tenants need the pool too.
  for (const row of rows) {
    recoveries.push({
      ...job(row),
      since: row.since.toISOString(),
      until: row.until.toISOString(),
      left: await countLeft(historyPool, row, endsAt),
      requestedAt: row.requested_at.toISOString(),
    })
  }
  return { recoveries, recoveriesLeftOut: leftOut(rows) }
}

/** Resolves with `null` if the count is not known by `endsAt`. */
async function countLeft(
  historyPool: Pool,
  row: RecoveryRow,
  endsAt: number,
): Promise<number | null> {
  const remainingMs = endsAt - performance.now()
  if (remainingMs <= 0) return null
  const { subscription_id: subscriptionId, since, until, requested_at: requestedAt } = row
  const after = { day: row.filed_on, at: row.position_at, id: row.position_id }
  const next = { subscriptionId, since, until, requestedAt, after }
  try {
    return await boundedBy(
      remainingMs,
      countNext(historyPool, next, countedDeadLetters),
      'no count',
    )
  } catch (err) {
    if (!(err instanceof AppError)) throw err
    return null
  }
}
