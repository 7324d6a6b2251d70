import { calm } from '../calm/scenario.ts'
import { tlsPostsPerSecond } from '../load/limit.ts'
import type { Bench } from '../platform/open-bench.ts'
import {
  lossRows,
  milliseconds,
  perSecond,
  printRows,
  type Row,
  rateOf,
  usageRows,
} from '../report/report.ts'
import { restAtRate, restFlatOut, writers } from './rest.ts'
import { changesFor, fromTopic } from './topic.ts'

type Options = { bench: Bench; seconds: number; changes: number; rates: readonly number[] }

/** 0 until it is measured. */
let limitPerSecond = 0

/** Scenarios with receivers that answer at once. */
export function deliveryScenarios({
  bench,
  seconds,
  changes,
  rates,
}: Options): Record<string, () => Promise<void>> {
  return {
    limit: () => limit(bench, seconds),
    rate: () => rate(bench, { perSecond: 100, seconds }),
    rest: () => rest(bench, seconds),
    topic1: () => topic(bench, { fanOut: 1, changes, target: 5_000 }),
    topic10: () => topic(bench, { fanOut: 10, changes, target: 8_000 }),
    calm: () => calm(bench, { seconds, rates }),
  }
}

async function limit(bench: Bench, seconds: number): Promise<void> {
  limitPerSecond = await tlsPostsPerSecond(bench, Math.min(seconds, 5))
  printRows('the machine without the system', [
    { measure: 'TLS POSTs in a loop', value: rateOf(limitPerSecond) },
  ])
}

async function rate(bench: Bench, load: { perSecond: number; seconds: number }): Promise<void> {
  const { report, before, after, load: written } = await restAtRate(bench, load)
  printRows(`REST write to receipt at ${load.perSecond} changes/s`, [
    { measure: 'p50', value: milliseconds(report.latency.p50), target: '< 8 ms' },
    { measure: 'p99', value: milliseconds(report.latency.p99), target: '< 30 ms' },
    { measure: 'writes not answered 201', value: String(written.failed) },
    ...lossRows(report),
    ...usageRows(before, after, { deliveries: report.unique }),
  ])
}

async function rest(bench: Bench, seconds: number): Promise<void> {
  const { report, ms, before, after, load } = await restFlatOut(bench, { fanOut: 1, seconds })
  printRows(`REST, ${writers} writers flat out, one delivery each`, [
    { measure: 'changes answered', value: perSecond(load.answered, load.seconds * 1_000) },
    {
      measure: 'changes delivered, first write to last receipt',
      value: perSecond(report.unique, ms),
      target: '2,000/s',
    },
    { measure: 'p50 at saturation', value: milliseconds(report.latency.p50) },
    { measure: 'p99 at saturation', value: milliseconds(report.latency.p99) },
    { measure: 'writes not answered 201', value: String(load.failed) },
    ...lossRows(report),
    ...usageRows(before, after, { deliveries: report.unique }),
  ])
}

async function topic(
  bench: Bench,
  { fanOut, changes, target }: { fanOut: number; changes: number; target: number },
): Promise<void> {
  const count = changesFor(fanOut, changes)
  const { report, ms, before, after } = await fromTopic(bench, { fanOut, count })
  printRows(`from the changes topic, fan-out ${fanOut}, ${count} changes`, [
    {
      measure: 'deliveries, first publish to last receipt',
      value: perSecond(report.unique, ms),
      target: rateOf(target),
    },
    ...ofTheLimit((report.unique * 1_000) / ms),
    ...lossRows(report),
    ...usageRows(before, after, { deliveries: report.unique, target: '< 0.35' }),
  ])
}

/** Compares with the machine's limit, if the same run measured it. */
function ofTheLimit(deliveriesPerSecond: number): Row[] {
  if (limitPerSecond === 0) return []
  const value = `${((100 * deliveriesPerSecond) / limitPerSecond).toFixed(0)} %`
  return [{ measure: 'of the limit', value, target: '≥ 40 %' }]
}
