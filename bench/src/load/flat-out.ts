import { Latencies, type LatencySummary } from '../measure/latencies.ts'

export type FlatOut = {
  done: number
  /** The number of failures, by status. */
  failed: ReadonlyMap<number, number>
  ms: number
  latency: LatencySummary
}

/**
 * Repeats `one` for `seconds` with `concurrency` calls in flight, each after an answer.
 * @param one gets the number of its worker; resolves with the status of the answer
 */
export async function flatOut(
  { concurrency, seconds }: { concurrency: number; seconds: number },
  one: (worker: number) => Promise<number>,
): Promise<FlatOut> {
  const latencies = new Latencies()
  const startedAt = performance.now()
  let done = 0
  const failed = new Map<number, number>()
  const work = async (_: unknown, worker: number) => {
    for (;;) {
      const at = performance.now()
      if (at - startedAt >= seconds * 1000) return
      const status = await one(worker)
      if (status < 300) done++
      else failed.set(status, (failed.get(status) ?? 0) + 1)
      latencies.add(performance.now() - at)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  return { done, failed, ms: performance.now() - startedAt, latency: latencies.summary() }
}
