import { once } from 'node:events'
import { waitUntil } from '@surehook/service-kit/wait-until'
import type { LatencySummary } from '../measure/latencies.ts'
import { forkReceiver, type Tls } from './fork-receiver.ts'
import type { ReceivedCounts } from './received-ids.ts'

export type ReceiverReport = ReceivedCounts & {
  /** Epoch ms. */
  firstAt: number
  lastAt: number
  /** From the record's `sent_at` to the receipt. */
  latency: LatencySummary
}

/** The awaited report. `missing` is 0 unless the time limit passed. */
export type AwaitedReport = ReceiverReport & { missing: number }

export type BenchReceiver = AsyncDisposable & {
  url(path: string): string
  reset(): Promise<void>
  /** Resolves when `count` deliveries have arrived since the last reset, or after `timeoutMs`. */
  waitFor(count: number, timeoutMs: number): Promise<AwaitedReport>
}

export async function startReceiver(tls: Tls): Promise<BenchReceiver> {
  const receiver = await forkReceiver(new URL('./receiver-process.ts', import.meta.url), tls)
  const { child, url } = receiver
  const ask = async (message: 'reset' | 'report'): Promise<ReceiverReport> => {
    child.send(message)
    const [report] = (await once(child, 'message')) as [ReceiverReport]
    return report
  }
  return {
    url,
    reset: async () => void (await ask('reset')),
    async waitFor(count, timeoutMs) {
      let report = await ask('report')
      const deadline = performance.now() + timeoutMs
      const isOver = async () => {
        report = await ask('report')
        return report.unique >= count || performance.now() > deadline
      }
      // Missing deliveries are a result, not an error.
      await waitUntil(isOver, { what: 'deliveries', timeoutMs: Number.POSITIVE_INFINITY })
      return { ...report, missing: Math.max(0, count - report.unique) }
    },
    [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
  }
}
