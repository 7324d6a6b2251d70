import type { Pool } from 'pg'
import { bodyColumns } from '../../history/read/find-delivery.ts'
import type { BodyOfRow } from '../../history/read/stored-bodies.ts'
import { dayOf } from '../../history/rows/delivery-days.ts'
import type { Original } from '../jobs/redelivery-job.ts'

/** The dead letters of a subscription made in [since, until), as of `requestedAt`. */
export type Span = { subscriptionId: string; since: Date; until: Date; requestedAt: Date }

/**
 * The position up to which a span is done.
 * @property day under which the delivery is filed: a late one has a later day than its own
 */
export type Position = { day: string; at: Date; id: string }

export const firstPosition = (since: Date): Position => ({
  day: dayOf(since.getTime()),
  at: since,
  id: '00000000-0000-0000-0000-000000000000',
})

const diedInSpan = `
  d.subscription_id = $1 and d.status = 'dead_letter' and d.moved_at <= $4
  and d.day >= $5::date and d.created_at >= $2 and d.created_at < $3
  and d.last_error is distinct from 'too_large'`

/**
 * Leaves out deliveries that died later, because the span would never end. Leaves out those that
 * were sent again already; if a redelivery died too, it is a dead letter itself. Leaves out those
 * that were too large, because they can never be sent.
 */
const inSpan = `
  ${diedInSpan} and d.operation is not null
  and not exists (select from delivery again
    where again.redelivery_of = d.id::text and again.subscription_id = $1 and again.day >= $5::date)`

const spanValues = ({ subscriptionId, since, until, requestedAt }: Span) => [
  subscriptionId,
  since,
  until,
  requestedAt,
  dayOf(since.getTime()),
]

/**
 * Returns whether the history has read the end of a delivery of the span and not yet its job, which
 * is on another topic. A job that it refused never comes, so only the last hour counts.
 */
export async function lacksJobs(historyPool: Pool, span: Span): Promise<boolean> {
  const { rowCount } = await historyPool.query(
    `select from delivery d
     where ${diedInSpan} and d.operation is null and d.moved_at > $4::timestamptz - interval '1 hour'
     limit 1`,
    spanValues(span),
  )
  return rowCount === 1
}

/** Counts dead letters, up to `most`. */
export async function countDeadLetters(
  historyPool: Pool,
  span: Span,
  most: number,
): Promise<number> {
  const { rows } = await historyPool.query<{ count: number }>(
    `select count(*)::integer as count
     from (select from delivery d where ${inSpan} limit $6) counted`,
    [...spanValues(span), most],
  )
  return rows[0]?.count ?? 0
}

/** Selects what comes after a position. It needs `inSpan` and its values. */
const isAfter = 'd.day >= $6::date and (d.day, d.created_at, d.id) > ($6::date, $7, $8::uuid)'

const nextValues = ({ after, ...span }: Span & { after: Position }) => [
  ...spanValues(span),
  after.day,
  after.at,
  after.id,
]

/** Counts what a recovery still has to send, up to `most`. */
export async function countNext(
  historyPool: Pool,
  next: Span & { after: Position },
  most: number,
): Promise<number> {
  const { rows } = await historyPool.query<{ count: number }>(
    `select count(*)::integer as count
     from (select from delivery d where ${inSpan} and ${isAfter} limit $9) counted`,
    [...nextValues(next), most],
  )
  return rows[0]?.count ?? 0
}

/** `body` is set if the row has it. */
export type DeadLetter = Omit<Original, 'body'> & BodyOfRow & { day: string; created_at: Date }

/**
 * Returns at most `limit` dead letters with about `bytes` of bodies in rows, but at least one if
 * any is left.
 */
export async function nextDeadLetters(
  historyPool: Pool,
  next: Span & { after: Position },
  { limit, bytes }: { limit: number; bytes: number },
): Promise<DeadLetter[]> {
  const { rows } = await historyPool.query<DeadLetter>(
    `select day::text as day, id, created_at, event_id, webhook_id, watched_table, operation, record_id,
       subscription_id, project_id, environment, body, job_partition, job_offset
     from (
       select letter.*,
         sum(coalesce(octet_length(body), 0)) over (order by day, created_at, id
           rows between unbounded preceding and 1 preceding) as before
       from (
         select d.day, d.id, d.created_at, event_id, webhook_id, watched_table, operation, record_id,
           ${bodyColumns}
         from delivery d
         where ${inSpan} and ${isAfter}
         order by d.day, d.created_at, d.id limit $9
       ) letter
     ) batch
     where coalesce(before, 0) < $10
     order by day, created_at, id`,
    [...nextValues(next), limit, bytes],
  )
  return rows
}
