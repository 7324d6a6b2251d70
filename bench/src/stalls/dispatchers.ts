import { availableParallelism } from 'node:os'
import { usageOf } from '../measure/processes.ts'
import { startReplica } from '../platform/start-replica.ts'
import { lossRows, perSecond, printRows } from '../report/report.ts'
import { slowestOf } from './path-stats.ts'
import { projectWith, publish, type StallBench, type StallProject } from './stall-bench.ts'

const paths = Array.from({ length: 16 }, (_, n) => `/ok/scaled-${n}`)
const drainMs = 600_000
const service = 'webhook-dispatcher'

/** Measures the same deliveries by one dispatcher, and by two that share the partitions. */
export async function dispatchers(bench: StallBench): Promise<void> {
  const project = await projectWith(bench, paths)
  await delivered(bench, project, { count: 200 })
  const count = Math.ceil(bench.changes / paths.length)
  const one = await delivered(bench, project, { count })
  await using second = await startReplica(bench, service)
  const others = { [`${service}-2`]: second.pid }
  await delivered(bench, project, { count: 200 })
  const two = await delivered(bench, project, { count, others })
  printRows(`one and two dispatchers on ${availableParallelism()} cores`, [
    { measure: 'one', value: one.text },
    { measure: 'two', value: two.text },
    { measure: 'ratio', value: (two.rate / one.rate).toFixed(2) },
    {
      measure: 'cores in use with one, with two (services and stack)',
      value: `${one.cores.toFixed(2)}, ${two.cores.toFixed(2)}`,
    },
    ...[one, two].flatMap(lossRows),
  ])
  await project.retire()
}

async function delivered(
  { endpoints, ...bench }: StallBench,
  project: StallProject,
  { count, others = {} }: { count: number; others?: Readonly<Record<string, number>> },
) {
  await endpoints.reset()
  const before = cpuOf(bench.runDirs, others)
  const startedAt = performance.now()
  await publish({ endpoints, ...bench }, project, { count })
  const came = slowestOf(await endpoints.waitFor(paths, count, drainMs))
  const ms = performance.now() - startedAt
  return {
    ...came,
    rate: came.unique / ms,
    text: perSecond(came.unique, ms),
    cores: ((cpuOf(bench.runDirs, others) - before) * 1000) / ms,
  }
}

const cpuOf = (...of: Parameters<typeof usageOf>) =>
  Object.values(usageOf(...of)).reduce((sum, { cpuS }) => sum + cpuS, 0)
