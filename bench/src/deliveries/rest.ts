import { insertAtRate, insertFlatOut, type RestLoad } from '../load/load.ts'
import type { Bench } from '../platform/open-bench.ts'
import { tableWithSubscriptions } from '../platform/open-bench.ts'
import { type DeliveryRun, measureDeliveries, warmUp } from './delivery-run.ts'

export type RestRun = DeliveryRun & { load: RestLoad }

const warmUpSeconds = 10
export const writers = 64

/** Writes over REST at a fixed rate, with one delivery each. */
export async function restAtRate(
  bench: Bench,
  { perSecond, seconds }: { perSecond: number; seconds: number },
): Promise<RestRun> {
  const write = await openWritesAtRate(bench, perSecond)
  return write(seconds)
}

/** Warms up. Each call of the result writes that many seconds. */
export async function openWritesAtRate(
  bench: Bench,
  perSecond: number,
): Promise<(seconds: number) => Promise<RestRun>> {
  const project = await tableWithSubscriptions(bench, 1)
  const write = (seconds: number) => insertAtRate(project, 'bench', { perSecond, seconds })
  await warmUp(bench, async () => (await write(warmUpSeconds)).answered)
  return (seconds) => measureWrites(bench, 1, () => write(seconds))
}

/** Writes over REST with `writers` writers and without pause. */
export async function restFlatOut(
  bench: Bench,
  { fanOut, seconds }: { fanOut: number; seconds: number },
): Promise<RestRun> {
  const project = await tableWithSubscriptions(bench, fanOut)
  const write = (concurrency: number, s: number) =>
    insertFlatOut(project, 'bench', { concurrency, seconds: s })
  await warmUp(bench, async () => fanOut * (await write(writers / 2, warmUpSeconds)).answered)
  return measureWrites(bench, fanOut, () => write(writers, seconds))
}

/** A write with another answer than 201 may be delivered or not. */
async function measureWrites(
  bench: Bench,
  fanOut: number,
  write: () => Promise<RestLoad>,
): Promise<RestRun> {
  let load: RestLoad = { answered: 0, failed: 0, seconds: 0 }
  const run = await measureDeliveries(bench, async () => {
    load = await write()
    return fanOut * load.answered
  })
  return { ...run, load }
}
