import { setTimeout as wait } from 'node:timers/promises'
import type { LatencySummary } from '../measure/latencies.ts'
import { lossRows, milliseconds, perSecond, printRows, type Row } from '../report/report.ts'
import { slowestOf } from './path-stats.ts'
import type { StallBench, StallProject } from './stall-bench.ts'
import { beside, projectWith, publish } from './stall-bench.ts'

const drainMs = 600_000
/** Enough endpoints for some of them to share a partition with those of the flood. */
const quietPaths = Array.from({ length: 8 }, (_, n) => `/ok/quiet-${n}`)
const floodPaths = Array.from({ length: 4 }, (_, n) => `/ok/flood-${n}`)
const quietPerSecond = 10

/** Measures a tenant with few changes, alone and while another one floods the platform. */
export async function fairness(bench: StallBench): Promise<void> {
  const quiet = await projectWith(bench, quietPaths)
  const flood = await projectWith(bench, floodPaths)
  await publish(bench, flood, { count: 200 })
  await besideQuiet(bench, quiet, () => wait(3_000))
  const alone = await besideQuiet(bench, quiet, () => wait(bench.seconds * 1_000))
  await bench.endpoints.reset()
  const floodAlone = await drain(bench, flood)
  const flooded = await besideQuiet(bench, quiet, () => drain(bench, flood))
  printRows(
    `a tenant with ${quietPerSecond} changes/s for ${quietPaths.length} endpoints, beside ` +
      `${bench.changes.toLocaleString('en')} changes of another at once, for ${floodPaths.length}`,
    [
      ...latencyRows('the small one alone', alone.latency),
      ...latencyRows('in the flood', flooded.latency),
      { measure: 'the small one in the flood', value: perSecond(flooded.unique, flooded.ms) },
      { measure: 'the flood', value: perSecond(flooded.result.unique, flooded.result.ms) },
      { measure: 'the flood alone', value: perSecond(floodAlone.unique, floodAlone.ms) },
      ...[alone, flooded, floodAlone, flooded.result].flatMap(lossRows),
    ],
  )
  await quiet.retire()
  await flood.retire()
}

/** @returns the deliveries, and the time until the last one */
async function drain(bench: StallBench, flood: StallProject) {
  const { endpoints, changes } = bench
  const startedAt = performance.now()
  await publish(bench, flood, { count: changes })
  const came = slowestOf(await endpoints.waitFor(floodPaths, changes, drainMs))
  return { ...came, ms: performance.now() - startedAt }
}

async function besideQuiet<T>(bench: StallBench, project: StallProject, run: () => Promise<T>) {
  const { endpoints } = bench
  await endpoints.reset()
  const startedAt = performance.now()
  const { sent, result } = await beside(bench, { project, perSecond: quietPerSecond }, run)
  const ms = performance.now() - startedAt
  return { ...slowestOf(await endpoints.waitFor(quietPaths, sent, drainMs)), result, ms }
}

const latencyRows = (when: string, { p50, p99, max }: LatencySummary): Row[] => [
  { measure: `${when}: p50, of the slowest endpoint`, value: milliseconds(p50) },
  { measure: `${when}: p99`, value: milliseconds(p99) },
  { measure: `${when}: the slowest delivery`, value: milliseconds(max) },
]
