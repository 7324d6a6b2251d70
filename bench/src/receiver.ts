import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { waitUntil } from '@surehook/service-kit/wait-until'
import type { LatencySummary } from './latencies.ts'

export type ReceiverReport = {
  received: number
  /** Epoch ms. */
  firstAt: number
  lastAt: number
  /** From the record's `sent_at` to the receipt. */
  latency: LatencySummary
}

export type BenchReceiver = AsyncDisposable & {
  readonly pid: number
  url(path: string): string
  reset(): Promise<void>
  report(): Promise<ReceiverReport>
  /** When each change was sent and received since the last reset. */
  receipts(): Promise<[sent: number, received: number][]>
  /** Resolves when `count` requests have come since the last reset. */
  waitFor(count: number, timeoutMs: number): Promise<ReceiverReport>
}

export async function startReceiver(tls: { key: string; cert: string }): Promise<BenchReceiver> {
  const entry = fileURLToPath(new URL('./receiver-process.ts', import.meta.url))
  const child = fork(entry, [tls.key, tls.cert], { execArgv: process.execArgv })
  const [port] = (await once(child, 'message')) as [number]
  const ask = async (message: 'reset' | 'report'): Promise<ReceiverReport> => {
    child.send(message)
    const [report] = (await once(child, 'message')) as [ReceiverReport]
    return report
  }
  return {
    pid: child.pid ?? 0,
    url: (path) => `https://localhost:${port}${path}`,
    reset: async () => void (await ask('reset')),
    report: () => ask('report'),
    async receipts() {
      child.send('times')
      const [times] = (await once(child, 'message')) as [number[]]
      const pairs = Array.from({ length: times.length / 2 }, (_, n) =>
        times.slice(2 * n, 2 * n + 2),
      )
      return pairs as [number, number][]
    },
    async waitFor(count, timeoutMs) {
      let report = await ask('report')
      const haveCome = async () => {
        report = await ask('report')
        return report.received >= count
      }
      const what = () => `${report.received} of ${count} deliveries`
      await waitUntil(haveCome, { what, timeoutMs })
      return report
    },
    async [Symbol.asyncDispose]() {
      const exited = once(child, 'exit')
      child.disconnect()
      await exited
    },
  }
}
