import { type FlatOut, flatOut } from '../load/flat-out.ts'
import { costRows, milliseconds, perSecond, printRows } from '../report/report.ts'
import { type Usage, usageOf } from './processes.ts'

export type MeasureOptions = { seconds: number; runDirs: readonly string[] }

/** How many requests are in flight at once. */
export const concurrency = 16
const warmUpS = 2

export type MeasuredRun = FlatOut & { before: Usage; after: Usage }

/** Warms up first, because new connections, statements and code are not to be measured. */
export async function measure(
  { seconds, runDirs }: MeasureOptions,
  one: (worker: number) => Promise<number>,
): Promise<MeasuredRun> {
  await flatOut({ concurrency, seconds: warmUpS }, one)
  const before = usageOf(runDirs)
  const run = await flatOut({ concurrency, seconds }, one)
  return { ...run, before, after: usageOf(runDirs) }
}

export function printMeasured(
  what: string,
  run: MeasuredRun,
  of: { mine: string; target?: string; rate?: string },
): void {
  const { done, failed, ms, latency, before, after } = run
  printRows(`${what}, ${concurrency} at a time`, [
    {
      measure: 'rate',
      value: perSecond(done, ms),
      ...(of.rate !== undefined && { target: of.rate }),
    },
    { measure: 'p50', value: milliseconds(latency.p50) },
    { measure: 'p99', value: milliseconds(latency.p99) },
    { measure: 'refused', value: byStatus(failed) || 'none' },
    ...costRows(before, after, { count: done, ...of }),
  ])
}

/** Formats the counts by status; empty if there are none. */
export const byStatus = (answers: ReadonlyMap<number, number>): string =>
  Array.from(answers, ([status, count]) => `${count} with ${status}`).join(', ')
