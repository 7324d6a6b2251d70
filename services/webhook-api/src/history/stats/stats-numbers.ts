import type { EnvironmentStats, StatsWindow } from '@surehook/contracts/http/webhooks/questions'
import { percentile } from './latency-classes.ts'
import type { StatsRow } from './stats-store.ts'

const minuteS = 60
const windows: Record<StatsWindow, { seconds: number; bucketSeconds: number }> = {
  '1h': { seconds: 60 * minuteS, bucketSeconds: 5 * minuteS },
  '24h': { seconds: 24 * 60 * minuteS, bucketSeconds: 15 * minuteS },
  '7d': { seconds: 7 * 24 * 60 * minuteS, bucketSeconds: 60 * minuteS },
}

/** What an answer covers. Times are epoch milliseconds. */
export type Span = { window: StatsWindow; from: number; until: number; bucketSeconds: number }

export function spanOf(window: StatsWindow, until: number): Span {
  const { seconds, bucketSeconds } = windows[window]
  const bucketMs = bucketSeconds * 1000
  const from = Math.floor((until - seconds * 1000) / bucketMs) * bucketMs
  return { window, from, until, bucketSeconds }
}

export const shownSpan = ({ window, from, until }: Span) => ({
  window,
  from: new Date(from).toISOString(),
  until: new Date(until).toISOString(),
})

type Numbers = Pick<EnvironmentStats, 'counts' | 'attempts' | 'successRate'>

/** Adds up buckets. */
export function numbersOf(rows: readonly StatsRow[]): Numbers {
  const counts = { delivered: 0, retrying: 0, deadLetter: 0, cancelled: 0 }
  let attempts = 0
  for (const row of rows) {
    addTo(counts, row)
    attempts += row.attempts
  }
  const successRate = attempts === 0 ? null : Math.round((counts.delivered / attempts) * 1e4) / 1e4
  return { counts, attempts, successRate }
}

/** Returns every bucket up to now, also empty ones. */
export function seriesOf(
  rows: readonly StatsRow[],
  { from, until, bucketSeconds }: Omit<Span, 'window'>,
): EnvironmentStats['series'] {
  const series = Array.from({ length: lengthOf({ from, until, bucketSeconds }) }, (_, bucket) => {
    const at = new Date(from + bucket * bucketSeconds * 1000).toISOString()
    return { at, delivered: 0, retrying: 0, deadLetter: 0, cancelled: 0 }
  })
  for (const row of rows) {
    const bucket = series[row.bucket]
    if (bucket !== undefined) addTo(bucket, row)
  }
  return series
}

/** The same buckets of one subscription, as plain numbers. */
export function trendOf(
  rows: readonly StatsRow[],
  span: Omit<Span, 'window'>,
): EnvironmentStats['webhooks'][number]['trend'] {
  const delivered = Array<number>(lengthOf(span)).fill(0)
  const failed = delivered.slice()
  for (const { bucket, ...row } of rows) {
    if (bucket >= delivered.length) continue
    delivered[bucket] = row.delivered
    failed[bucket] = row.retrying + row.dead_letter
  }
  return { delivered, failed }
}

const lengthOf = ({ from, until, bucketSeconds }: Omit<Span, 'window'>) =>
  Math.floor((until - from) / (bucketSeconds * 1000)) + 1

function addTo(counts: Numbers['counts'], row: StatsRow): void {
  counts.delivered += row.delivered
  counts.retrying += row.retrying
  counts.deadLetter += row.dead_letter
  counts.cancelled += row.cancelled
}

export const percentilesOf = (latencies: readonly number[] = []) => ({
  p50: percentile(latencies, 0.5),
  p95: percentile(latencies, 0.95),
})
