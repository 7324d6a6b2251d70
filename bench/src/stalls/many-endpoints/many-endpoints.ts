import { waitUntil } from '@surehook/service-kit/wait-until'
import { forkReceiver, type Tls } from '../../receiver/fork-receiver.ts'
import type { PathReport } from '../path-stats.ts'

export type Question = { id: number; ask: 'report' | 'count' | 'reset' }
export type Answer = {
  id: number
  reports: Record<string, PathReport>
  unique: Record<string, number>
}

/** `missing` is 0 unless the time limit passed. */
export type AwaitedPath = PathReport & { missing: number }

export type ManyEndpoints = AsyncDisposable & {
  /** The first part of the path selects how it answers. */
  url(path: string): string
  reset(): Promise<void>
  /**
   * Resolves when `count` deliveries have arrived on each path since the last reset, or after
   * `timeoutMs`.
   */
  waitFor(paths: readonly string[], count: number, timeoutMs: number): Promise<AwaitedPath[]>
}

const nothing: PathReport = {
  unique: 0,
  repeated: 0,
  latency: { p50: 0, p99: 0, max: 0 },
}

export async function openManyEndpoints(tls: Tls): Promise<ManyEndpoints> {
  const receiver = await forkReceiver(new URL('./many-endpoints-process.ts', import.meta.url), tls)
  const { child, url } = receiver
  const waiting = new Map<number, (answer: Answer) => void>()
  let asked = 0
  child.on('message', (answer: Answer) => {
    waiting.get(answer.id)?.(answer)
    waiting.delete(answer.id)
  })
  const ask = async (what: Question['ask']) => {
    const id = asked++
    const answered = new Promise<Answer>((resolve) => waiting.set(id, resolve))
    child.send({ id, ask: what } satisfies Question)
    return answered
  }
  return {
    url,
    reset: async () => void (await ask('reset')),
    async waitFor(paths, count, timeoutMs) {
      const deadline = performance.now() + timeoutMs
      const isOver = async () => {
        const { unique } = await ask('count')
        const haveCome = paths.every((path) => (unique[path] ?? 0) >= count)
        return haveCome || performance.now() > deadline
      }
      // Missing deliveries are a result, not an error.
      await waitUntil(isOver, {
        what: 'deliveries',
        timeoutMs: Number.POSITIVE_INFINITY,
        everyMs: 100,
      })
      const { reports } = await ask('report')
      return paths.map((path) => {
        const report = reports[path] ?? nothing
        return { ...report, missing: Math.max(0, count - report.unique) }
      })
    },
    [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
  }
}
