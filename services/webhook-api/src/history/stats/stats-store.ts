import { binaryArray } from '@surehook/service-kit/postgres/binary-array'
import type { Pool, PoolClient } from 'pg'
import { type StatsIncrement, statsKeptMs } from './fold-stats.ts'

/** Call it in the transaction that writes the deliveries, so that both commit or neither does. */
export async function addToStats(
  tx: PoolClient,
  increments: readonly StatsIncrement[],
): Promise<void> {
  if (increments.length === 0) return
  const integers = (valueOf: (of: StatsIncrement) => number) =>
    binaryArray('integer', increments, valueOf)
  await tx.query({
    name: 'add-to-stats',
    text: addSql,
    values: [
      binaryArray('uuid', increments, ({ subscriptionId }) => subscriptionId),
      binaryArray('timestamptz', increments, ({ at }) => at),
      integers(({ attempts }) => attempts),
      integers(({ delivered }) => delivered),
      integers(({ retrying }) => retrying),
      integers(({ deadLetter }) => deadLetter),
      integers(({ cancelled }) => cancelled),
      binaryArray('text', increments, ({ latencies }) => `{${packed(latencies).join(',')}}`),
    ],
  })
}

/**
 * The length at which the counts of equal classes are added up. To add them up each time would cost
 * more than the rest of the write.
 */
const longestList = 64
const mostInEntry = 2 ** 24 - 1

/** Packs the counts for the row: class and count in one number, without empty classes. */
function packed(latencies: readonly number[]): number[] {
  return latencies.flatMap((count, of) => (count === 0 ? [] : of * (mostInEntry + 1) + count))
}

const addSql = `
  insert into attempt_stats as s
    (subscription_id, at, attempts, delivered, retrying, dead_letter, cancelled, latencies)
  select of_subscription, at, attempts, delivered, retrying, dead_letter, cancelled,
    latencies::integer[]
  from unnest($1::uuid[], $2::timestamptz[], $3::integer[], $4::integer[], $5::integer[],
    $6::integer[], $7::integer[], $8::text[]) as more
    (of_subscription, at, attempts, delivered, retrying, dead_letter, cancelled, latencies)
  on conflict (subscription_id, at) do update set
    attempts = s.attempts + excluded.attempts,
    delivered = s.delivered + excluded.delivered,
    retrying = s.retrying + excluded.retrying,
    dead_letter = s.dead_letter + excluded.dead_letter,
    cancelled = s.cancelled + excluded.cancelled,
    latencies = case
      when cardinality(s.latencies) < ${longestList} then s.latencies || excluded.latencies
      else array(select (entry >> 24 << 24) + sum(entry & ${mostInEntry})::integer
        from unnest(s.latencies || excluded.latencies) entry group by entry >> 24) end`

export type StatsRow = {
  subscription_id: string
  /** The number of the bucket, from 0. */
  bucket: number
  attempts: number
  delivered: number
  retrying: number
  dead_letter: number
  cancelled: number
}

type StatsSpan = { subscriptionIds: readonly string[]; from: Date; bucketSeconds: number }

/**
 * Reads the buckets that are not empty and the latencies by subscription.
 * @param span begins at `from`, epoch ms
 */
export async function readStats(
  pool: Pool,
  subscriptionIds: readonly string[],
  { from, bucketSeconds }: { from: number; bucketSeconds: number },
) {
  const span = { subscriptionIds, from: new Date(from), bucketSeconds }
  // One after the other: the requests of other tenants need the pool too.
  const rows = await readBuckets(pool, span)
  return { rows, latencies: await readLatencies(pool, span) }
}

async function readBuckets(pool: Pool, span: StatsSpan): Promise<StatsRow[]> {
  const { rows } = await pool.query<StatsRow>(
    `select subscription_id, floor(extract(epoch from at - $2::timestamptz) / $3)::integer as bucket,
       sum(attempts)::float8 as attempts, sum(delivered)::float8 as delivered,
       sum(retrying)::float8 as retrying, sum(dead_letter)::float8 as dead_letter,
       sum(cancelled)::float8 as cancelled
     from attempt_stats where subscription_id = any($1) and at >= $2 group by 1, 2`,
    [span.subscriptionIds, span.from, span.bucketSeconds],
  )
  return rows
}

/** Reads the counts of attempts by class of duration, of each subscription that has some. */
async function readLatencies(
  pool: Pool,
  { subscriptionIds, from }: Pick<StatsSpan, 'subscriptionIds' | 'from'>,
): Promise<Map<string, number[]>> {
  const { rows } = await pool.query<{ subscription_id: string; class: number; count: number }>(
    `select subscription_id, entry >> 24 as class, sum(entry & ${mostInEntry})::float8 as count
     from attempt_stats, unnest(latencies) entry
     where subscription_id = any($1) and at >= $2 group by 1, 2`,
    [subscriptionIds, from],
  )
  const counts = new Map<string, number[]>()
  for (const row of rows) {
    const ofOne = counts.get(row.subscription_id) ?? []
    counts.set(row.subscription_id, ofOne)
    while (ofOne.length <= row.class) ofOne.push(0)
    ofOne[row.class] = row.count
  }
  return counts
}

/** @returns the number of deleted rows */
export async function deleteOldStats(pool: Pool, now: number): Promise<number> {
  const { rowCount } = await pool.query('delete from attempt_stats where at < $1', [
    new Date(now - statsKeptMs),
  ])
  return rowCount ?? 0
}

export async function forgetStats(tx: PoolClient, subscriptionId: string): Promise<void> {
  await tx.query('delete from attempt_stats where subscription_id = $1', [subscriptionId])
}
