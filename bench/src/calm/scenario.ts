import { switchesBetween } from '../measure/processes.ts'
import type { Bench } from '../platform/open-bench.ts'
import { lossRows, milliseconds, printRows, type Row } from '../report/report.ts'
import {
  calmRates,
  cpuOf,
  measureAtRate,
  measureRest,
  openCalm,
  type Span,
  secondsOf,
} from './readings.ts'

/** Measures the cost of the idle system, and the cost per change at low rates. */
export async function calm(bench: Bench, seconds: number): Promise<void> {
  const project = await openCalm(bench)
  const rest = await measureRest(bench, seconds)
  printRows('calm: at rest', [...coresOf(rest), ...perSecondOf(rest)])
  for (const perSecond of calmRates) {
    const run = await measureAtRate(bench, project, { perSecond, seconds })
    printRows(`calm: ${perSecond} changes/s`, [
      { measure: 'p50', value: milliseconds(run.report.latency.p50) },
      { measure: 'p99', value: milliseconds(run.report.latency.p99) },
      ...lossRows(run.report),
      ...coresOf(run),
      ...perChangeOf(run, run.answered),
    ])
  }
}

function coresOf(span: Span): Row[] {
  const { before, after } = span
  const seconds = secondsOf(span)
  const cores = Object.entries(after.usage).map(
    ([name, usage]) =>
      [
        name,
        (usage.cpuS - (before.usage[name]?.cpuS ?? 0)) / seconds,
        switchesBetween(before.usage[name], usage) / seconds,
        usage.pssMiB,
      ] as const,
  )
  const sum = (index: 1 | 2 | 3) => cores.reduce((total, row) => total + row[index], 0)
  return [...cores, ['everything', sum(1), sum(2), sum(3)] as const].map(
    ([measure, used, switches, pss]) => ({
      measure,
      value: `${used.toFixed(3)} cores, ${switches.toFixed(0)} switches/s, ${pss.toFixed(0)} MiB PSS`,
    }),
  )
}

function perSecondOf(span: Span): Row[] {
  const seconds = secondsOf(span)
  return requestRows(span, (count) => `${(count / seconds).toFixed(1)}/s`)
}

function perChangeOf(span: Span, changes: number): Row[] {
  return [
    { measure: 'CPU per change', value: milliseconds((cpuOf(span) * 1_000) / changes) },
    ...requestRows(span, (count) => `${(count / changes).toFixed(2)} per change`),
  ]
}

function requestRows({ before, after }: Span, shown: (count: number) => string): Row[] {
  const counts = Array.from(
    after.requests,
    ([name, count]) => [name, count - (before.requests.get(name) ?? 0)] as const,
  ).filter(([, count]) => count > 0)
  const all = counts.reduce((sum, [, count]) => sum + count, 0)
  return [...counts, ['everything', all] as const].map(([name, count]) => ({
    measure: `Kafka requests, ${name}`,
    value: shown(count),
  }))
}
