import { waitUntil } from '@surehook/service-kit/wait-until'
import { forkReceiver, type Tls } from '../../receiver/fork-receiver.ts'
import type { PathReport } from '../path-stats.ts'

export type Question = { id: number; ask: 'report' | 'count' | 'reset' | 'mend' | 'break' }
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
   * Makes paths that begin with `switch` answer 204. Before it, and after `break`, they answer 500.
   */
  mend(): Promise<void>
  break(): Promise<void>
  /** In the order of the paths. */
  reportsOf(paths: readonly string[]): Promise<PathReport[]>
  /** Returns how many deliveries have arrived on all paths. Costs less than a report. */
  unique(paths: readonly string[]): Promise<number>
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
  firstAt: 0,
  lastAt: 0,
  inFlightAtFirst: [],
  mostOvertaken: 0,
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
  const reportsOf = async (paths: readonly string[]) => {
    const { reports } = await ask('report')
    return paths.map((path) => reports[path] ?? nothing)
  }
  return {
    url,
    reset: async () => void (await ask('reset')),
    mend: async () => void (await ask('mend')),
    break: async () => void (await ask('break')),
    reportsOf,
    async unique(paths) {
      const { unique } = await ask('count')
      return paths.reduce((sum, path) => sum + (unique[path] ?? 0), 0)
    },
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
      const reports = await reportsOf(paths)
      return reports.map((report) => ({ ...report, missing: Math.max(0, count - report.unique) }))
    },
    [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
  }
}
