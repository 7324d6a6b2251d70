import type { StatsWindow, WebhookStats } from '@surehook/contracts/http/webhooks/questions'
import type { Pool } from 'pg'
import { ownSubscription } from '../../subscriptions/find-own.ts'
import type { Tenant } from '../../subscriptions/subscription-changes.ts'
import { percentile } from './latency-classes.ts'
import { readBuckets, readLatencies, type StatsRow } from './stats-store.ts'

const minuteS = 60
const windows: Record<StatsWindow, { seconds: number; bucketSeconds: number }> = {
  '1h': { seconds: 60 * minuteS, bucketSeconds: 5 * minuteS },
  '24h': { seconds: 24 * 60 * minuteS, bucketSeconds: 15 * minuteS },
  '7d': { seconds: 7 * 24 * 60 * minuteS, bucketSeconds: 60 * minuteS },
}

/** Answers with the statistics of a subscription, from counts that the history keeps. */
export function webhookStats(pool: Pool, now: () => number) {
  return async (tenant: Tenant, id: string, window: StatsWindow): Promise<WebhookStats> => {
    const { id: subscriptionId } = await ownSubscription(pool, id, tenant)
    const { seconds, bucketSeconds } = windows[window]
    const until = now()
    const from = new Date(beginOf(until - seconds * 1000, bucketSeconds))
    const [rows, latencies] = await Promise.all([
      readBuckets(pool, { subscriptionId, from, bucketSeconds }),
      readLatencies(pool, { subscriptionId, from }),
    ])
    const sum = (of: keyof StatsRow) => rows.reduce((total, row) => total + row[of], 0)
    const attempts = sum('attempts')
    return {
      window,
      from: from.toISOString(),
      until: new Date(until).toISOString(),
      counts: {
        delivered: sum('delivered'),
        retrying: sum('retrying'),
        deadLetter: sum('dead_letter'),
        cancelled: sum('cancelled'),
      },
      attempts,
      successRate: attempts === 0 ? null : Math.round((sum('delivered') / attempts) * 1e4) / 1e4,
      latencyMs: { p50: percentile(latencies, 0.5), p95: percentile(latencies, 0.95) },
      bucketSeconds,
      series: seriesOf(rows, { from: from.getTime(), until, bucketSeconds }),
    }
  }
}

const beginOf = (at: number, bucketSeconds: number) =>
  Math.floor(at / (bucketSeconds * 1000)) * bucketSeconds * 1000

/** Returns every bucket up to now, also empty ones. */
export function seriesOf(
  rows: readonly StatsRow[],
  { from, until, bucketSeconds }: { from: number; until: number; bucketSeconds: number },
): WebhookStats['series'] {
  const byNumber = new Map(rows.map((row) => [row.bucket, row]))
  const length = Math.floor((until - from) / (bucketSeconds * 1000)) + 1
  return Array.from({ length }, (_, bucket) => {
    const row = byNumber.get(bucket)
    return {
      at: new Date(from + bucket * bucketSeconds * 1000).toISOString(),
      delivered: row?.delivered ?? 0,
      retrying: row?.retrying ?? 0,
      deadLetter: row?.dead_letter ?? 0,
      cancelled: row?.cancelled ?? 0,
    }
  })
}
