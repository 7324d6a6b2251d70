import { type Usage, usageOf } from '../measure/processes.ts'
import type { Bench } from '../platform/open-bench.ts'
import { drainMs } from '../platform/open-bench.ts'
import type { AwaitedReport } from '../receiver/receiver.ts'

/** The result of a run: the deliveries, their time and the system's usage. */
export type DeliveryRun = {
  report: AwaitedReport
  /** From the first write to the last receipt. */
  ms: number
  before: Usage
  after: Usage
}

/** @param load writes changes, and resolves with the number of deliveries they must cause */
export async function measureDeliveries(
  { receiver, runDirs }: Bench,
  load: () => Promise<number>,
): Promise<DeliveryRun> {
  await receiver.reset()
  const before = usageOf(runDirs)
  const startedAt = performance.timeOrigin + performance.now()
  const report = await receiver.waitFor(await load(), drainMs)
  return { report, ms: report.lastAt - startedAt, before, after: usageOf(runDirs) }
}

/** Makes deliveries that are not measured, to warm up connections, statements and compiled code. */
export async function warmUp({ receiver }: Bench, load: () => Promise<number>): Promise<void> {
  const count = await load()
  const { missing } = await receiver.waitFor(count, drainMs)
  if (missing > 0)
    throw new Error(`${missing} of ${count} deliveries are missing after the warm-up`)
}
