import { binaryArray } from '@surehook/service-kit/postgres/binary-array'
import type { Pool, PoolClient } from 'pg'
import { bucketsKeptMs, foldHours, hourMs, hoursKeptMs, type StatsIncrement } from './fold-stats.ts'

type StatsTable = {
  name: string
  /** Of `latencies`: an entry is class * 2^shift + count. */
  shift: number
  entry: 'integer' | 'bigint'
}

const buckets: StatsTable = { name: 'attempt_stats', shift: 24, entry: 'integer' }
/** The sums of the buckets of each hour. */
const hours: StatsTable = { name: 'attempt_stats_hour', shift: 32, entry: 'bigint' }

/**
 * Call it in the transaction that writes the deliveries, so that both commit or neither does.
 * @param increments sorted by subscription and time
 */
export async function addToStats(
  tx: PoolClient,
  increments: readonly StatsIncrement[],
): Promise<void> {
  const oldestBucket = Date.now() - bucketsKeptMs
  const recent = increments.filter(({ at }) => at > oldestBucket)
  await addTo(tx, buckets, recent)
  await addTo(tx, hours, foldHours(increments))
}

async function addTo(
  tx: PoolClient,
  table: StatsTable,
  increments: readonly StatsIncrement[],
): Promise<void> {
  if (increments.length === 0) return
  const integers = (valueOf: (of: StatsIncrement) => number) =>
    binaryArray('integer', increments, valueOf)
  await tx.query({
    name: `add-to-${table.name}`,
    text: addSql(table),
    values: [
      binaryArray('uuid', increments, ({ subscriptionId }) => subscriptionId),
      binaryArray('timestamptz', increments, ({ at }) => at),
      integers(({ attempts }) => attempts),
      integers(({ delivered }) => delivered),
      integers(({ retrying }) => retrying),
      integers(({ deadLetter }) => deadLetter),
      integers(({ cancelled }) => cancelled),
      binaryArray('text', increments, ({ latencies }) => `{${packed(latencies, table).join(',')}}`),
    ],
  })
}

/**
 * The length at which the counts of equal classes are added up. To add them up each time would cost
 * more than the rest of the write.
 */
const longestList = 64

/** Packs the counts for the row: class and count in one number, without empty classes. */
function packed(latencies: readonly number[], { shift }: StatsTable): number[] {
  return latencies.flatMap((count, of) => (count === 0 ? [] : of * 2 ** shift + count))
}

const countIn = ({ shift }: StatsTable) => `(entry & ${2 ** shift - 1})`

/** Adds the counts of an inserted row to those of the present row `s`. */
const addCounts = (table: StatsTable) => `
  on conflict (subscription_id, at) do update set
    attempts = s.attempts + excluded.attempts,
    delivered = s.delivered + excluded.delivered,
    retrying = s.retrying + excluded.retrying,
    dead_letter = s.dead_letter + excluded.dead_letter,
    cancelled = s.cancelled + excluded.cancelled,
    latencies = case
      when cardinality(s.latencies) < ${longestList} then s.latencies || excluded.latencies
      else array(select (entry >> ${table.shift} << ${table.shift}) + sum${countIn(table)}::${table.entry}
        from unnest(s.latencies || excluded.latencies) entry group by entry >> ${table.shift}) end`

const addSql = (table: StatsTable) => `
  insert into ${table.name} as s
    (subscription_id, at, attempts, delivered, retrying, dead_letter, cancelled, latencies)
  select of_subscription, at, attempts, delivered, retrying, dead_letter, cancelled,
    latencies::${table.entry}[]
  from unnest($1::uuid[], $2::timestamptz[], $3::integer[], $4::integer[], $5::integer[],
    $6::integer[], $7::integer[], $8::text[]) as more
    (of_subscription, at, attempts, delivered, retrying, dead_letter, cancelled, latencies)
  ${addCounts(table)}`

/** The statements that add rows of a table, given as JSON, to the same table, by its name. */
export const addRowsSql: ReadonlyMap<string, string> = new Map(
  [buckets, hours].map((table) => [
    table.name,
    `insert into ${table.name} as s
     select * from json_populate_recordset(null::${table.name}, $1::json) ${addCounts(table)}`,
  ]),
)

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

/** One JSON text for each subscription: the driver would take the event loop for each row. */
async function readBuckets(pool: Pool, span: StatsSpan): Promise<StatsRow[]> {
  const { name } = span.bucketSeconds * 1000 < hourMs ? buckets : hours
  const { rows } = await pool.query<{ subscription_id: string; sums: Sums[] }>(
    `select subscription_id, json_agg(json_build_array(
       bucket, attempts, delivered, retrying, dead_letter, cancelled)) as sums
     from (
       select subscription_id,
         floor(extract(epoch from at - $2::timestamptz) / $3)::integer as bucket,
         sum(attempts) as attempts, sum(delivered) as delivered, sum(retrying) as retrying,
         sum(dead_letter) as dead_letter, sum(cancelled) as cancelled
       from ${name} where subscription_id = any($1) and at >= $2 group by 1, 2) summed
     group by 1`,
    [span.subscriptionIds, span.from, span.bucketSeconds],
  )
  return rows.flatMap(({ subscription_id, sums }) =>
    sums.map((sum): StatsRow => {
      const [bucket, attempts, delivered, retrying, dead_letter, cancelled] = sum
      return { subscription_id, bucket, attempts, delivered, retrying, dead_letter, cancelled }
    }),
  )
}

type Sums = [
  bucket: number,
  attempts: number,
  delivered: number,
  retrying: number,
  deadLetter: number,
  cancelled: number,
]

/** Reads the counts of attempts by class of duration, of each subscription that has some. */
async function readLatencies(
  pool: Pool,
  { subscriptionIds, from }: Pick<StatsSpan, 'subscriptionIds' | 'from'>,
): Promise<Map<string, number[]>> {
  const countsIn = (table: StatsTable, when: string) => `
    select subscription_id, entry >> ${table.shift} as class, ${countIn(table)} as count
    from ${table.name}, unnest(latencies) entry where subscription_id = any($1) and ${when}`
  const { rows } = await pool.query<{ subscription_id: string; counts: [number, number][] }>(
    `select subscription_id, json_agg(json_build_array(class, count)) as counts
     from (
       select subscription_id, class, sum(count) as count
       from (${countsIn(buckets, 'at >= $2 and at < $3')} union all ${countsIn(hours, 'at >= $3')}) parts
       group by 1, 2) summed
     group by 1`,
    [subscriptionIds, from, firstHourFrom(from)],
  )
  return new Map(rows.map(({ subscription_id, counts }) => [subscription_id, byClass(counts)]))
}

function byClass(counts: readonly (readonly [number, number])[]): number[] {
  const all: number[] = []
  for (const [of, count] of counts) {
    while (all.length <= of) all.push(0)
    all[of] = count
  }
  return all
}

/** The first full hour of a span. Buckets have what is before it. */
export const firstHourFrom = (from: Date): Date =>
  new Date(Math.ceil(from.getTime() / hourMs) * hourMs)

/** @returns the number of deleted rows */
export async function deleteOldStats(pool: Pool, now: number): Promise<number> {
  const deleteFrom = async ({ name }: StatsTable, keptMs: number) => {
    const before = new Date(now - keptMs)
    return (await pool.query(`delete from ${name} where at < $1`, [before])).rowCount ?? 0
  }
  return (await deleteFrom(buckets, bucketsKeptMs)) + (await deleteFrom(hours, hoursKeptMs))
}

export async function forgetStats(pool: Pool, subscriptionId: string): Promise<void> {
  for (const { name } of [buckets, hours]) {
    await pool.query(`delete from ${name} where subscription_id = $1`, [subscriptionId])
  }
}
