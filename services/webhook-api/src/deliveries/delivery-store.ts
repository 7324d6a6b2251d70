import type { DeliveryAttempt, DeliveryJob } from '@surehook/contracts/events'
import { inTransaction } from '@surehook/service-kit/postgres/pool'
import type { Pool, PoolClient } from 'pg'
import { type DeliveryDays, dayOf } from './delivery-days.ts'
import { type FoldedMove, foldMoves } from './fold-moves.ts'

export type DeliveryStore = {
  /** Writes jobs as pending deliveries; one that is known already keeps its status. */
  addJobs(jobs: readonly DeliveryJob[]): Promise<void>
  /** Applies moves by step, in whatever order and however often they come. */
  addMoves(moves: readonly DeliveryAttempt[]): Promise<void>
}

export function createDeliveryStore(pool: Pool, days: DeliveryDays): DeliveryStore {
  const write = async (
    items: readonly { createdAt: number }[],
    work: (client: PoolClient) => Promise<void>,
  ) => {
    if (items.length === 0) return
    const needed = items.map(({ createdAt }) => dayOf(createdAt))
    await days.ensure(needed)
    try {
      await inTransaction(pool, work)
    } catch (err) {
      if (!lacksPartition(err)) throw err
      days.forget(needed)
      await days.ensure(needed)
      await inTransaction(pool, work)
    }
  }
  return {
    addJobs: (jobs) =>
      write(jobs, async (client) => {
        const unique = [...new Map(jobs.map((job) => [job.deliveryId, job])).values()]
        unique.sort((a, b) => (a.deliveryId < b.deliveryId ? -1 : 1))
        await client.query(insertJobs, [JSON.stringify(unique.map(jobRow))])
        await client.query(insertBodies, [
          unique.map(({ createdAt }) => dayOf(createdAt)),
          unique.map(({ deliveryId }) => deliveryId),
          unique.map(({ body }) => body),
        ])
      }),
    addMoves: (moves) =>
      write(moves, async (client) => {
        await client.query(upsertMoves, [JSON.stringify(foldMoves(moves).map(moveRow))])
        const attempts = moves.filter(({ attempted }) => attempted).map(attemptRow)
        if (attempts.length > 0) await client.query(insertAttempts, [JSON.stringify(attempts)])
      }),
  }
}

/** PostgreSQL's check_violation: the day's history was dropped after we had made its partitions. */
const lacksPartition = (err: unknown) =>
  err instanceof Error && 'code' in err && err.code === '23514'

// PostgreSQL keeps no NUL in text, and a receiver may answer with any bytes.
const text = (value: string) => value.replaceAll('\0', '\uFFFD').toWellFormed()
const textOrNull = (value: string | null) => (value === null ? null : text(value))
const time = (ms: number) => new Date(ms).toISOString()

const jobRow = (job: DeliveryJob) => ({
  day: dayOf(job.createdAt),
  id: job.deliveryId,
  created_at: time(job.createdAt),
  event_id: text(job.eventId),
  subscription_id: job.subscriptionId,
  project_id: text(job.projectId),
  environment: text(job.environment),
  watched_table: text(job.table),
  operation: job.operation,
  webhook_id: job.webhookId,
  redelivery_of: textOrNull(job.redeliveryOf),
})

const moveRow = ({ last, lastAttempt }: FoldedMove) => ({
  day: dayOf(last.createdAt),
  id: last.deliveryId,
  created_at: time(last.createdAt),
  event_id: text(last.eventId),
  subscription_id: last.subscriptionId,
  project_id: text(last.projectId),
  environment: text(last.environment),
  status: last.status,
  step: last.step,
  moved_at: time(last.at),
  next_attempt_at: last.nextAttemptAt === null ? null : time(last.nextAttemptAt),
  attempts: last.attempts,
  attempt_step: lastAttempt?.step ?? -1,
  attempted_at: time(lastAttempt?.at ?? 0),
  http_status: lastAttempt?.httpStatus ?? null,
  last_error: lastAttempt?.errorClass ?? null,
})

const attemptRow = (move: DeliveryAttempt) => ({
  day: dayOf(move.createdAt),
  delivery_id: move.deliveryId,
  step: move.step,
  at: time(move.at),
  attempt: move.attempts,
  status: move.status,
  url: text(move.url),
  http_status: move.httpStatus,
  latency_ms: move.latencyMs,
  error_class: move.errorClass,
  error_message: textOrNull(move.errorMessage),
  answer: textOrNull(move.answer),
})

// Step -1: whatever has moved the delivery, read before or after the job, is newer.
const insertJobs = `
  insert into delivery as d (day, id, created_at, event_id, subscription_id, project_id, environment,
      status, step, moved_at, attempts, attempt_step, attempted_at,
      watched_table, operation, webhook_id, redelivery_of)
  select day, id, created_at, event_id, subscription_id, project_id, environment,
      'pending', -1, created_at, 0, -1, 'epoch', watched_table, operation, webhook_id, redelivery_of
  from json_to_recordset($1) as job(day date, id uuid, created_at timestamptz, event_id text,
      subscription_id uuid, project_id text, environment text,
      watched_table text, operation text, webhook_id uuid, redelivery_of text)
  on conflict (day, id) do update set
    watched_table = excluded.watched_table,
    operation = excluded.operation,
    webhook_id = excluded.webhook_id,
    redelivery_of = excluded.redelivery_of
  where d.operation is null`

const insertBodies = `
  insert into delivery_body (day, delivery_id, body)
  select * from unnest($1::date[], $2::uuid[], $3::bytea[])
  on conflict do nothing`

const newerMove = '(excluded.step, excluded.moved_at) > (d.step, d.moved_at)'
const newerAttempt =
  '(excluded.attempt_step, excluded.attempted_at) > (d.attempt_step, d.attempted_at)'
const newerOf = (columns: readonly string[], isNewer: string) =>
  columns
    .map(
      (column) => `${column} = case when ${isNewer} then excluded.${column} else d.${column} end`,
    )
    .join(', ')

const upsertMoves = `
  insert into delivery as d (day, id, created_at, event_id, subscription_id, project_id, environment,
      status, step, moved_at, next_attempt_at, attempts,
      attempt_step, attempted_at, http_status, last_error)
  select * from json_to_recordset($1) as move(day date, id uuid, created_at timestamptz, event_id text,
      subscription_id uuid, project_id text, environment text, status text, step integer,
      moved_at timestamptz, next_attempt_at timestamptz, attempts integer,
      attempt_step integer, attempted_at timestamptz, http_status integer, last_error text)
  on conflict (day, id) do update set
    ${newerOf(['status', 'step', 'moved_at', 'next_attempt_at'], newerMove)},
    ${newerOf(['attempt_step', 'attempted_at', 'http_status', 'last_error'], newerAttempt)},
    attempts = greatest(d.attempts, excluded.attempts)
  where ${newerMove} or ${newerAttempt}`

const insertAttempts = `
  insert into delivery_attempt (day, delivery_id, step, at, attempt, status, url,
      http_status, latency_ms, error_class, error_message, answer)
  select * from json_to_recordset($1) as attempt(day date, delivery_id uuid, step integer,
      at timestamptz, attempt integer, status text, url text,
      http_status integer, latency_ms integer, error_class text, error_message text, answer text)
  on conflict do nothing`
