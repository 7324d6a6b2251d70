import { setTimeout as wait } from 'node:timers/promises'
import { usageOf } from '../measure/processes.ts'
import { lossRows, milliseconds, printRows, usageRows } from '../report/report.ts'
import { slowestOf } from './path-stats.ts'
import { beside, projectWith, type StallBench } from './stall-bench.ts'

const perSecond = 50
const warmUpMs = 3_000
const drainMs = 60_000
const healthy = ['/ok/5', '/ok/6', '/ok/7', '/ok/8', '/ok/9', '/ok/10']
const good = ['/ok/1', '/ok/2', '/ok/3', '/ok/4']
const bad = ['/hang/1', '/error/2', '/loris/3', '/close/4']

/** Measures the effect of four bad endpoints of ten on the latency of the six others. */
export async function neighbours(bench: StallBench): Promise<void> {
  const without = await latencyOfHealthy(bench, good)
  const before = usageOf(bench.runDirs)
  const withBad = await latencyOfHealthy(bench, bad)
  printRows(`ten endpoints at ${perSecond} changes/s each, the slowest of the six healthy ones`, [
    { measure: 'ten healthy: p50', value: milliseconds(without.p50) },
    { measure: 'ten healthy: p99', value: milliseconds(without.p99) },
    { measure: 'four bad (hangs, 500, slow loris, closes): p50', value: milliseconds(withBad.p50) },
    { measure: 'four bad: p99', value: milliseconds(withBad.p99) },
    {
      measure: 'ratio of p99',
      value: (withBad.p99 / without.p99).toFixed(2),
      target: '< 2',
    },
    ...lossRows(withBad),
    ...usageRows(before, usageOf(bench.runDirs), { deliveries: withBad.unique }),
  ])
}

async function latencyOfHealthy(bench: StallBench, others: readonly string[]) {
  const { endpoints, seconds } = bench
  const project = await projectWith(bench, [...others, ...healthy])
  const load = { project, perSecond }
  const warm = await beside(bench, load, () => wait(warmUpMs))
  await endpoints.waitFor(healthy, warm.sent, drainMs)
  await endpoints.reset()
  const { sent } = await beside(bench, load, () => wait(seconds * 1_000))
  const { latency, ...counts } = slowestOf(await endpoints.waitFor(healthy, sent, drainMs))
  await project.retire()
  return { ...latency, ...counts }
}
