import type { EnvironmentStats } from '@surehook/client'

/** The numbers of some webhooks together. */
export type Numbers = Pick<EnvironmentStats, 'attempts' | 'counts' | 'series'>

export type Day = {
  attempts: number
  delivered: number
  failed: number
  deadLetters: number
  series: Numbers['series']
}

const kinds = ['delivered', 'retrying', 'deadLetter', 'cancelled'] as const

/** Adds the numbers of several pages of webhooks. Their buckets begin at the same times. */
export function sumOf(all: readonly Numbers[]): Day {
  const buckets = new Map<string, Numbers['series'][number]>()
  for (const bucket of all.flatMap(({ series }) => series)) {
    const sum = buckets.get(bucket.at)
    if (sum === undefined) buckets.set(bucket.at, { ...bucket })
    else for (const kind of kinds) sum[kind] += bucket[kind]
  }
  const total = (pick: (one: Numbers) => number) => all.reduce((sum, one) => sum + pick(one), 0)
  return {
    attempts: total(({ attempts }) => attempts),
    delivered: total(({ counts }) => counts.delivered),
    failed: total(({ counts }) => counts.retrying + counts.deadLetter),
    deadLetters: total(({ counts }) => counts.deadLetter),
    series: [...buckets.values()].toSorted((a, b) => a.at.localeCompare(b.at)),
  }
}
