import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { waitUntil } from '@surehook/service-kit/wait-until'
import { usageOf } from '../measure/processes.ts'
import {
  lossRows,
  milliseconds,
  perSecond,
  printRows,
  type Row,
  usageRows,
} from '../report/report.ts'
import { watchMemory } from './memory-watch.ts'
import { slowestOf } from './path-stats.ts'
import { internalUrlsOf, metricOf } from './service-metrics.ts'
import { beside, projectWith, publish, type StallBench, type StallProject } from './stall-bench.ts'

const drainMs = 900_000
const others = ['/ok/1', '/ok/2', '/ok/3', '/ok/4']
const broken = '/switch/1'
const perSecondBeside = 25
const dispatcher = 'webhook-dispatcher'
const pausedMetric = 'surehook_delivery_paused'

/** Measures deliveries of one record that are paused behind an open circuit, and their release. */
export async function paused(bench: StallBench): Promise<void> {
  const { endpoints, runDirs, changes, seconds } = bench
  await endpoints.break()
  const quiet = await projectWith(bench, others)
  const failing = await projectWith(bench, [broken])
  await besideOthers(bench, quiet, () => wait(3_000))
  const before = await besideOthers(bench, quiet, () => wait(seconds * 1_000))
  using memory = watchMemory(runDirs)
  const usage = usageOf(runDirs)
  const pausing = await besideOthers(bench, quiet, () => pauseAll(bench, failing))
  const whilePaused = usageOf(runDirs)[dispatcher]?.rssMiB ?? 0
  await endpoints.reset()
  await endpoints.mend()
  const draining = await besideOthers(bench, quiet, () => drain(bench), { keep: true })
  const [back] = draining.result
  if (back === undefined) throw new Error('no report')
  printRows(`${changes.toLocaleString('en')} deliveries of one endpoint behind its open circuit`, [
    { measure: 'paused', value: perSecond(changes, pausing.ms) },
    {
      measure: 'came back, first to last',
      value: perSecond(back.unique, back.lastAt - back.firstAt),
    },
    {
      measure: 'in flight when the 1st, 2nd, 4th, 8th, … came back',
      value: ramp(back.inFlightAtFirst),
    },
    { measure: 'furthest behind one of a later change', value: `${back.mostOvertaken}` },
    { measure: 'slowest other endpoint before: p99', value: milliseconds(before.latency.p99) },
    { measure: 'while they were paused: p99', value: milliseconds(pausing.latency.p99) },
    { measure: 'while they came back: p99', value: milliseconds(draining.latency.p99) },
    { measure: 'dispatcher with all of them paused', value: `${whilePaused.toFixed(0)} MiB` },
    ...[before, pausing, draining, back].flatMap(lossRows),
    ...memory.rows(),
    ...usageRows(usage, usageOf(runDirs), { deliveries: changes }),
  ] satisfies Row[])
  await quiet.retire()
  await failing.retire()
}

async function pauseAll(bench: StallBench, failing: StallProject): Promise<void> {
  const { runDirs, changes } = bench
  const urls = internalUrlsOf(runDirs, dispatcher)
  const had = await metricOf(urls, pausedMetric)
  await publish(bench, failing, { count: changes, recordId: randomUUID() })
  // Five deliveries opened the circuit, and may still wait for their retries.
  const arePaused = async () => (await metricOf(urls, pausedMetric)) - had >= changes - 32
  await waitUntil(arePaused, { what: 'all paused', timeoutMs: drainMs, everyMs: 500 })
}

const drain = ({ endpoints, changes }: StallBench) => endpoints.waitFor([broken], changes, drainMs)

async function besideOthers<T>(
  bench: StallBench,
  project: StallProject,
  run: () => Promise<T>,
  { keep } = { keep: false },
) {
  const { endpoints } = bench
  if (!keep) await endpoints.reset()
  const startedAt = performance.now()
  const { sent, result } = await beside(bench, { project, perSecond: perSecondBeside }, run)
  const ms = performance.now() - startedAt
  return { ...slowestOf(await endpoints.waitFor(others, sent, drainMs)), result, ms }
}

const ramp = (inFlight: readonly number[]) =>
  inFlight.filter((_, nth) => Number.isInteger(Math.log2(nth + 1))).join(', ')
