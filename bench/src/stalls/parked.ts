import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { waitUntil } from '@surehook/scripts/lib/wait-until'
import { usageOf } from '../processes.ts'
import { milliseconds, perSecond, printRows, type Row, usageRows } from '../report.ts'
import { watchMemory } from './memory-watch.ts'
import { slowestOf } from './path-stats.ts'
import { internalUrlsOf, metricOf } from './service-metrics.ts'
import { beside, projectWith, publish, type StallBench, type StallProject } from './stall-bench.ts'

const drainMs = 900_000
const others = ['/ok/1', '/ok/2', '/ok/3', '/ok/4']
const broken = '/switch/1'
const perSecondBeside = 25
const dispatcher = 'webhook-dispatcher'
const parkedMetric = 'surehook_delivery_parked'

/** Deliveries of one record, parked behind an open circuit, and how they come back. */
export async function parked(bench: StallBench): Promise<void> {
  const { endpoints, runDirs, changes, seconds } = bench
  await endpoints.break()
  const quiet = await projectWith(bench, others)
  const failing = await projectWith(bench, [broken])
  await besideOthers(bench, quiet, () => wait(3_000))
  const before = await besideOthers(bench, quiet, () => wait(seconds * 1_000))
  using memory = watchMemory(runDirs)
  const usage = usageOf(runDirs)
  const parking = await besideOthers(bench, quiet, () => parkAll(bench, failing))
  const whileParked = usageOf(runDirs)[dispatcher]?.rssMiB ?? 0
  await endpoints.reset()
  await endpoints.mend()
  const draining = await besideOthers(bench, quiet, () => drain(bench), { keep: true })
  const [back] = await endpoints.reportsOf([broken])
  if (back === undefined) throw new Error('no report')
  printRows(`${changes.toLocaleString('en')} deliveries of one endpoint behind its open circuit`, [
    { measure: 'parked', value: perSecond(changes, parking.ms) },
    {
      measure: 'came back, first to last',
      value: perSecond(back.received, back.lastAt - back.firstAt),
    },
    {
      measure: 'in flight when the 1st, 2nd, 4th, 8th, … came back',
      value: ramp(back.inFlightAtFirst),
    },
    { measure: 'furthest behind one of a later change', value: `${back.mostOvertaken}` },
    { measure: 'slowest other endpoint before: p99', value: milliseconds(before.latency.p99) },
    { measure: 'while they were parked: p99', value: milliseconds(parking.latency.p99) },
    { measure: 'while they came back: p99', value: milliseconds(draining.latency.p99) },
    { measure: 'dispatcher with all of them parked', value: `${whileParked.toFixed(0)} MiB` },
    ...memory.rows(),
    ...usageRows(usage, usageOf(runDirs), { deliveries: changes }),
  ] satisfies Row[])
  await quiet.retire()
  await failing.retire()
}

async function parkAll(bench: StallBench, failing: StallProject): Promise<void> {
  const { runDirs, changes } = bench
  const urls = internalUrlsOf(runDirs, dispatcher)
  const had = await metricOf(urls, parkedMetric)
  await publish(bench, failing, { count: changes, recordId: randomUUID() })
  // Five were tried to open the circuit, and wait for their retries, if they are not parked by now.
  const areParked = async () => (await metricOf(urls, parkedMetric)) - had >= changes - 32
  await waitUntil(areParked, { what: 'all parked', timeoutMs: drainMs, everyMs: 500 })
}

async function drain({ endpoints, changes }: StallBench): Promise<void> {
  await endpoints.waitFor([broken], changes, drainMs)
}

async function besideOthers(
  bench: StallBench,
  project: StallProject,
  run: () => Promise<void>,
  { keep } = { keep: false },
) {
  const { endpoints } = bench
  if (!keep) await endpoints.reset()
  const startedAt = performance.now()
  const { sent } = await beside(bench, { project, perSecond: perSecondBeside }, run)
  const ms = performance.now() - startedAt
  return { ...slowestOf(await endpoints.waitFor(others, sent, drainMs)), ms }
}

const ramp = (inFlight: readonly number[]) =>
  inFlight.filter((_, nth) => Number.isInteger(Math.log2(nth + 1))).join(', ')
