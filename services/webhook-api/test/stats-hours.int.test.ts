import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { expect, it } from '@jest/globals'
import { inTransaction } from '@surehook/service-kit/postgres/pool'
import fc from 'fast-check'
import { bucketMs, type StatsIncrement } from '../src/history/stats/fold-stats.ts'
import { spanOf } from '../src/history/stats/stats-numbers.ts'
import { addToStats, readStats } from '../src/history/stats/stats-store.ts'
import { countAttempts } from '../src/installation/attempt-counts.ts'
import { useHistoryDatabase } from './support/use-history-database.ts'

const opened = useHistoryDatabase()

const ids = Array.from({ length: 3 }, () => randomUUID()).toSorted()
const newest = Math.floor(Date.now() / bucketMs) * bucketMs

const count = fc.nat({ max: 20 })
const increment: fc.Arbitrary<StatsIncrement> = fc.record({
  subscriptionId: fc.constantFrom(...ids),
  // The newest buckets are the most frequent, so that their rows are sums of several.
  at: fc
    .oneof(fc.nat({ max: 40 }), fc.nat({ max: 7 * 288 + 30 }))
    .map((back) => newest - back * bucketMs),
  ...{ attempts: count, delivered: count, retrying: count, deadLetter: count, cancelled: count },
  latencies: fc.array(count, { maxLength: 43 }),
})
/** What one transaction adds: an entry for each subscription and bucket, sorted. */
const write = fc
  .uniqueArray(increment, { minLength: 1, maxLength: 12, selector: placeOf })
  .map((increments) => increments.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1)))

function placeOf({ subscriptionId, at }: StatsIncrement): string {
  return `${subscriptionId} ${at}`
}

const sums = 'attempts, delivered, retrying, dead_letter, cancelled'
const sumsOf = sums.replaceAll(/\w+/g, 'sum($&)::float8 as $&')

/** What `readStats` and `countAttempts` would read if nothing was summed up. */
async function unrolled(added: readonly StatsIncrement[], from: number, bucketSeconds: number) {
  const single = `json_to_recordset($1) as one ("subscriptionId" uuid, at bigint, attempts integer,
    delivered integer, retrying integer, "deadLetter" integer, cancelled integer, latencies integer[]),
    lateral (select "subscriptionId" as subscription_id, "deadLetter" as dead_letter) named`
  const values = [JSON.stringify(added), from]
  const { rows } = await opened.pool.query(
    `select subscription_id, ((at - $2) / $3)::integer as bucket, ${sumsOf} from ${single}
     where at >= $2 group by 1, 2`,
    [...values, bucketSeconds * 1_000],
  )
  const { rows: latencies } = await opened.pool.query(
    `select subscription_id, (n - 1)::integer as class, sum(count)::float8 as count
     from ${single}, unnest(latencies) with ordinality as counted (count, n)
     where at >= $2 and count > 0 group by 1, 2`,
    values,
  )
  const { rows: all } = await opened.pool.query(
    `select coalesce(sum(attempts), 0)::float8 as attempts,
       coalesce(sum(delivered), 0)::float8 as delivered,
       coalesce(sum(dead_letter), 0)::float8 as "deadLetter" from ${single} where at >= $2`,
    values,
  )
  return { rows, latencies, all: all[0] }
}

const sorted = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).toSorted()

async function compare(added: readonly StatsIncrement[], now: number): Promise<void> {
  for (const window of ['1h', '24h', '7d'] as const) {
    const span = spanOf(window, now)
    const { rows, latencies } = await readStats(opened.pool, ids, span)
    const single = await unrolled(added, span.from, span.bucketSeconds)
    expect(sorted(rows)).toEqual(sorted(single.rows))
    const classes = [...latencies].flatMap(([subscription_id, counts]) =>
      counts.flatMap((of, n) => (of > 0 ? [{ subscription_id, class: n, count: of }] : [])),
    )
    expect(sorted(classes)).toEqual(sorted(single.latencies))
  }
  const hourMs = 3_600_000
  expect(await countAttempts(opened.pool, now)).toEqual({
    hour: (await unrolled(added, now - hourMs, 300)).all,
    day: (await unrolled(added, now - 24 * hourMs, 300)).all,
  })
}

it('statistics with sums of hours are those of all single increments', async () => {
  const writes = fc.array(write, { minLength: 1, maxLength: 8 })
  const minutesAgo = fc.nat({ max: 90 })
  await fc.assert(
    fc.asyncProperty(writes, minutesAgo, async (all, ago) => {
      await opened.pool.query('truncate attempt_stats, attempt_stats_hour')
      for (const one of all) await inTransaction(opened.pool, (tx) => addToStats(tx, one))
      await compare(all.flat(), Date.now() - ago * 60_000)
    }),
    { numRuns: 40 },
  )
})

it('the migration sums up the buckets that it finds', async () => {
  const recent = ({ at }: StatsIncrement) => at > newest - 45 * 3_600_000
  await opened.pool.query('truncate attempt_stats, attempt_stats_hour')
  for (const one of fc.sample(write, { numRuns: 20, seed: 7 })) {
    await inTransaction(opened.pool, (tx) => addToStats(tx, one.filter(recent)))
  }
  const read = async () => {
    const { rows, latencies } = await readStats(opened.pool, ids, spanOf('7d', Date.now()))
    return { rows: sorted(rows), latencies }
  }
  const before = await read()
  const migration = await readFile(
    new URL('../migrations/0002-hourly-stats.sql', import.meta.url),
    'utf8',
  )
  await opened.pool.query('truncate attempt_stats_hour')
  await opened.pool.query(/^insert into attempt_stats_hour[^;]+/m.exec(migration)?.[0] ?? '')
  expect(before.rows.length).toBeGreaterThan(10)
  expect(await read()).toEqual(before)
})
