import { setTimeout as wait } from 'node:timers/promises'
import { warmUp } from '../deliveries/delivery-run.ts'
import { insertAtRate } from '../load/load.ts'
import { cpuBetween, type Usage, usageOf } from '../measure/processes.ts'
import { type Bench, drainMs, tableWithSubscriptions } from '../platform/open-bench.ts'
import type { BenchProject } from '../platform/platform.ts'
import type { AwaitedReport } from '../receiver/receiver.ts'
import { type Requests, requestsOf } from './requests.ts'

export type Reading = { at: number; usage: Usage; requests: Requests }
/** Two readings, and the time between them. */
export type Span = { before: Reading; after: Reading }
/** Changes over REST at a fixed rate, with one delivery each. */
export type CalmRun = Span & { perSecond: number; answered: number; report: AwaitedReport }

export const calmRates = [1, 10, 100, 1_000] as const
const warmUpSeconds = 5
const settleMs = 5_000

/**
 * Opens a project and warms up code, connections and statements. Waits until the system is idle
 * again.
 */
export async function openCalm(bench: Bench): Promise<BenchProject> {
  const project = await tableWithSubscriptions(bench, 1)
  const load = { perSecond: 100, seconds: warmUpSeconds }
  await warmUp(bench, async () => (await insertAtRate(project, 'bench', load)).answered)
  await wait(settleMs)
  return project
}

export async function measureRest({ runDirs }: Bench, seconds: number): Promise<Span> {
  const before = await read(runDirs)
  await wait(seconds * 1_000)
  return { before, after: await read(runDirs) }
}

export async function measureAtRate(
  { receiver, runDirs }: Bench,
  project: BenchProject,
  load: { perSecond: number; seconds: number },
): Promise<CalmRun> {
  await receiver.reset()
  const before = await read(runDirs)
  const { answered } = await insertAtRate(project, 'bench', load)
  const report = await receiver.waitFor(answered, drainMs)
  return { before, after: await read(runDirs), perSecond: load.perSecond, answered, report }
}

const read = async (runDirs: readonly string[]): Promise<Reading> => ({
  at: performance.now(),
  usage: usageOf(runDirs),
  requests: await requestsOf(runDirs),
})

export const secondsOf = ({ before, after }: Span): number => (after.at - before.at) / 1_000

export const cpuOf = ({ before, after }: Span): number => cpuBetween(before.usage, after.usage)
