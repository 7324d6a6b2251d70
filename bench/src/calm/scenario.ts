import { setTimeout as wait } from 'node:timers/promises'
import { insertAtRate } from '../load.ts'
import type { BenchProject } from '../platform.ts'
import { type Usage, usageOf } from '../processes.ts'
import type { BenchReceiver } from '../receiver.ts'
import { milliseconds, printRows, type Row } from '../report.ts'
import { type Requests, requestsOf } from './requests.ts'

export type CalmOptions = {
  project: BenchProject
  receiver: BenchReceiver
  runDirs: readonly string[]
  seconds: number
}

type Reading = { at: number; usage: Usage; requests: Requests }

const rates = [1, 10, 100, 1_000]
const warmUpSeconds = 5
const drainMs = 120_000

/** What the system costs at rest, and per change at rates that leave it time. */
export async function calm(options: CalmOptions): Promise<void> {
  const { project, receiver, runDirs, seconds } = options
  const load = (perSecond: number, s: number) =>
    insertAtRate(project, 'bench', { perSecond, seconds: s })
  await load(100, warmUpSeconds)
  await receiver.waitFor(100 * warmUpSeconds, drainMs)
  await wait(5_000)
  const rest = await read(runDirs)
  await wait(seconds * 1_000)
  const rested = await read(runDirs)
  printRows('calm: at rest', [...coresOf(rest, rested), ...perSecondOf(rest, rested)])
  for (const rate of rates) {
    await receiver.reset()
    const before = await read(runDirs)
    const { answered } = await load(rate, seconds)
    const { latency } = await receiver.waitFor(answered, drainMs)
    const after = await read(runDirs)
    printRows(`calm: ${rate} changes/s`, [
      { measure: 'p50', value: milliseconds(latency.p50) },
      { measure: 'p99', value: milliseconds(latency.p99) },
      ...coresOf(before, after),
      ...perChangeOf(before, after, answered),
    ])
  }
}

const read = async (runDirs: readonly string[]): Promise<Reading> => ({
  at: performance.now(),
  usage: usageOf(runDirs),
  requests: await requestsOf(runDirs),
})

const secondsBetween = (before: Reading, after: Reading) => (after.at - before.at) / 1_000

function coresOf(before: Reading, after: Reading): Row[] {
  const seconds = secondsBetween(before, after)
  const cores = Object.entries(after.usage).map(
    ([name, { cpuS, pssMiB, switches }]) =>
      [
        name,
        (cpuS - (before.usage[name]?.cpuS ?? 0)) / seconds,
        (switches - (before.usage[name]?.switches ?? 0)) / seconds,
        pssMiB,
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

function perSecondOf(before: Reading, after: Reading): Row[] {
  const seconds = secondsBetween(before, after)
  return requestRows(before, after, (count) => `${(count / seconds).toFixed(1)}/s`)
}

function perChangeOf(before: Reading, after: Reading, changes: number): Row[] {
  const cpuS = (usage: Usage) => Object.values(usage).reduce((sum, one) => sum + one.cpuS, 0)
  const used = cpuS(after.usage) - cpuS(before.usage)
  return [
    { measure: 'CPU per change', value: milliseconds((used * 1_000) / changes) },
    ...requestRows(before, after, (count) => `${(count / changes).toFixed(2)} per change`),
  ]
}

function requestRows(before: Reading, after: Reading, shown: (count: number) => string): Row[] {
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
