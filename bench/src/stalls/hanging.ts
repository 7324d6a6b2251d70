import { setTimeout as wait } from 'node:timers/promises'
import { usageOf } from '../measure/processes.ts'
import { lossRows, milliseconds, printRows, usageRows } from '../report/report.ts'
import { openManyEndpoints } from './many-endpoints/many-endpoints.ts'
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
 * answer, and each has `changes` deliveries. The same deliveries to endpoints that answer show what
 * their number alone costs.
 */
export async function hanging(bench: StallBench): Promise<void> {
  const neighbour = await projectWith(bench, good)
  const calm = await latencyOf(bench, neighbour)
  const answering = await besideOthers(bench, neighbour, 'ok')
  const during = await besideOthers(bench, neighbour, 'hang')
  printRows(`one project at ${perSecond} changes/s, ${endpoints} endpoints of another`, [
    { measure: 'calm: p50', value: milliseconds(calm.p50) },
    { measure: 'calm: p99', value: milliseconds(calm.p99) },
    { measure: 'while they answer: p50', value: milliseconds(answering.p50) },
    { measure: 'while they answer: p99', value: milliseconds(answering.p99) },
    { measure: 'while they hang: p50', value: milliseconds(during.p50) },
    { measure: 'while they hang: p99', value: milliseconds(during.p99) },
    { measure: 'ratio of p99 to calm', value: (during.p99 / calm.p99).toFixed(2), target: '< 2' },
    { measure: 'ratio of p99 to answering', value: (during.p99 / answering.p99).toFixed(2) },
    ...lossRows(during),
    ...usageRows(during.before, during.after, { deliveries: during.unique }),
  ])
  await neighbour.retire()
}

/** Publishes to endpoints of another project, and measures the latency meanwhile. */
async function besideOthers(bench: StallBench, neighbour: StallProject, manner: 'ok' | 'hang') {
  // A process of their own: their TLS handshakes would delay the receipts that are timed.
  await using others = await openManyEndpoints(bench.tls)
  const paths = Array.from({ length: endpoints }, (_, n) => `/${manner}/${n}`)
  const other = await projectWith({ ...bench, endpoints: others }, paths)
  const before = usageOf(bench.runDirs)
  await publish(bench, other, { count: changes })
  const latency = await latencyOf(bench, neighbour)
  const after = usageOf(bench.runDirs)
  await other.retire()
  return { ...latency, before, after }
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
