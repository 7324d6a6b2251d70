import { switchesBetween } from '../measure/processes.ts'
import type { Bench } from '../platform/open-bench.ts'
import { lossRows, milliseconds, printRows, type Row } from '../report/report.ts'
import { cpuOf, measureAtRate, measureRest, openCalm, type Span, secondsOf } from './readings.ts'

/** Measures the cost of the idle system, and the cost per change at low rates. */
export async function calm(
  bench: Bench,
  { seconds, rates }: { seconds: number; rates: readonly number[] },
): Promise<void> {
  const project = await openCalm(bench)
  const rest = await measureRest(bench, seconds)
  printRows('calm: at rest', [...coresOf(rest), ...perSecondOf(rest)])
  for (const perSecond of rates) {
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
  const { before, after } = span
  const perChange = (count: number) => `${(count / changes).toFixed(2)} per change`
  const counts = Object.entries(after.usage).map(([name, usage]) => ({
    switches: switchesBetween(before.usage[name], usage),
    calls: usage.readsAndWrites - (before.usage[name]?.readsAndWrites ?? 0),
  }))
  const all = (of: 'switches' | 'calls') => counts.reduce((sum, count) => sum + count[of], 0)
  return [
    { measure: 'CPU per change', value: milliseconds((cpuOf(span) * 1_000) / changes) },
    { measure: 'context switches', value: perChange(all('switches')) },
    { measure: 'read and write calls', value: perChange(all('calls')) },
    ...requestRows(span, perChange),
  ]
}

function requestRows({ before, after }: Span, shown: (count: number) => string): Row[] {
  const counts = Array.from(
    after.requests,
    ([name, count]) => [name, count - (before.requests.get(name) ?? 0)] as const,
  ).filter(([, count]) => count > 0)
  const sumOf = (some: typeof counts) => some.reduce((sum, [, count]) => sum + count, 0)
  const byApi = Map.groupBy(counts, ([name]) => name.split(' ')[1] ?? '')
  const sums = Array.from(byApi, ([api, some]) => [`all ${api}`, sumOf(some)] as const)
  return [...counts, ...sums, ['everything', sumOf(counts)] as const].map(([name, count]) => ({
    measure: `Kafka requests, ${name}`,
    value: shown(count),
  }))
}
