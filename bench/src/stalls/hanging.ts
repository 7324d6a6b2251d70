import { setTimeout as wait } from 'node:timers/promises'
import { usageOf } from '../measure/processes.ts'
import { lossRows, milliseconds, printRows, usageRows } from '../report/report.ts'
import { slowestOf } from './path-stats.ts'
import { beside, projectWith, publish, type StallBench, type StallProject } from './stall-bench.ts'

const perSecond = 30
const warmUpMs = 3_000
const drainMs = 120_000
const good = ['/ok/neighbour']
const endpoints = 300
const changes = 20

/**
 * Measures the latency of one project while `endpoints` of another one take connections and never
 * answer, and each has `changes` deliveries.
 */
export async function hanging(bench: StallBench): Promise<void> {
  const neighbour = await projectWith(bench, good)
  const calm = await latencyOf(bench, neighbour)
  const paths = Array.from({ length: endpoints }, (_, n) => `/hang/${n}`)
  const other = await projectWith(bench, paths)
  const before = usageOf(bench.runDirs)
  await publish(bench, other, { count: changes })
  const during = await latencyOf(bench, neighbour)
  printRows(`one project at ${perSecond} changes/s, ${endpoints} endpoints of another that hang`, [
    { measure: 'calm: p50', value: milliseconds(calm.p50) },
    { measure: 'calm: p99', value: milliseconds(calm.p99) },
    { measure: 'while they hang: p50', value: milliseconds(during.p50) },
    { measure: 'while they hang: p99', value: milliseconds(during.p99) },
    { measure: 'ratio of p99', value: (during.p99 / calm.p99).toFixed(2), target: '< 2' },
    ...lossRows(during),
    ...usageRows(before, usageOf(bench.runDirs), { deliveries: during.unique }),
  ])
  await other.retire()
  await neighbour.retire()
}

async function latencyOf(bench: StallBench, project: StallProject) {
  const load = { project, perSecond }
  await bench.endpoints.reset()
  const warm = await beside(bench, load, () => wait(warmUpMs))
  await bench.endpoints.waitFor(good, warm.sent, drainMs)
  await bench.endpoints.reset()
  const { sent } = await beside(bench, load, () => wait(bench.seconds * 1_000))
  const { latency, ...counts } = slowestOf(await bench.endpoints.waitFor(good, sent, drainMs))
  return { ...latency, ...counts }
}
