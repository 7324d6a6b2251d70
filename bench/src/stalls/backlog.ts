import { setTimeout as wait } from 'node:timers/promises'
import { cpuBetween, usageOf } from '../measure/processes.ts'
import { lossRows, perSecond, printRows, usageRows } from '../report/report.ts'
import { watchMemory } from './memory-watch.ts'
import { internalUrlsOf, metricOf } from './service-metrics.ts'
import { parts, projectWith, publish, type StallBench, type StallProject } from './stall-bench.ts'

const paths = Array.from({ length: parts }, (_, n) => `/ok/backlog-${n}`)
const drainMs = 3_600_000
const smallBacklog = 1_000
const tenths = 10

/**
 * Compares the cost of a delivery behind a large and behind a small backlog, and the memory of
 * both.
 */
export async function backlog(bench: StallBench): Promise<void> {
  const { runDirs, changes } = bench
  const project = await projectWith(bench, paths, { apart: true })
  await drained(bench, project, 2 * smallBacklog)
  const small = await cost(bench, () => smallOnes(bench, project))
  using memory = watchMemory(runDirs)
  let all: Drained = { rates: [], mostLag: 0, repeated: 0, missing: 0 }
  const large = await cost(bench, async () => {
    all = await drained(bench, project, changes)
    return changes - all.missing
  })
  printRows(
    `a backlog of ${changes.toLocaleString('en')} changes, one delivery each, to ${paths.length} endpoints`,
    [
      { measure: 'longest lag of the matcher', value: all.mostLag.toLocaleString('en') },
      { measure: 'deliveries', value: perSecond(large.deliveries, large.ms) },
      {
        measure: `in each tenth of them`,
        value: all.rates.map((rate) => rate.toFixed(0)).join(', '),
      },
      ...lossRows(all),
      {
        measure: `CPU per 1,000 behind ${smallBacklog.toLocaleString('en')}`,
        value: small.per1000.toFixed(3),
      },
      { measure: 'CPU per 1,000 behind all', value: large.per1000.toFixed(3) },
      { measure: 'ratio', value: (large.per1000 / small.per1000).toFixed(2), target: '< 1.2' },
      ...memory.rows(),
      ...usageRows(large.before, large.after, { deliveries: large.deliveries }),
    ],
  )
  await project.retire()
}

async function smallOnes(bench: StallBench, project: StallProject): Promise<number> {
  for (let n = 0; n < 10; n++) await drained(bench, project, smallBacklog)
  return 10 * smallBacklog
}

async function cost({ runDirs }: StallBench, run: () => Promise<number>) {
  const before = usageOf(runDirs)
  const startedAt = performance.now()
  const deliveries = await run()
  const ms = performance.now() - startedAt
  const after = usageOf(runDirs)
  return { deliveries, ms, before, after, per1000: (cpuBetween(before, after) * 1000) / deliveries }
}

type Drained = {
  /** Deliveries per second in each tenth of the run. */
  rates: number[]
  /** The largest lag of the matcher. */
  mostLag: number
  repeated: number
  missing: number
}

async function drained(bench: StallBench, project: StallProject, count: number): Promise<Drained> {
  const { endpoints, runDirs } = bench
  await endpoints.reset()
  const matchers = internalUrlsOf(runDirs, 'webhook-matcher')
  const rates: number[] = []
  let mostLag = 0
  let since = performance.now()
  let reached = 0
  const publishing = publish(bench, project, { count })
  for (const deadline = since + drainMs; ; ) {
    const unique = await endpoints.unique(paths)
    const now = performance.now()
    if (unique - reached >= count / tenths) {
      rates.push(((unique - reached) * 1000) / (now - since))
      reached = unique
      since = now
    }
    if (unique >= count || now > deadline) break
    if (count > smallBacklog)
      mostLag = Math.max(mostLag, await metricOf(matchers, 'surehook_kafka_consumer_lag_messages'))
    await wait(50)
  }
  await publishing
  const reports = await endpoints.reportsOf(paths)
  const sumOf = (key: 'unique' | 'repeated') => reports.reduce((sum, one) => sum + one[key], 0)
  return {
    rates,
    mostLag,
    repeated: sumOf('repeated'),
    missing: Math.max(0, count - sumOf('unique')),
  }
}
