import { setTimeout as sleep } from 'node:timers/promises'
import { reasonOf } from '@surehook/service-kit/errors'
import type { SourceRow } from '../source-row.ts'
import type { RunDeps } from './run-deps.ts'
import { leaseS, type SourceLeases } from './source-leases.ts'
import { endsWithinMs, SourceRun } from './source-run.ts'

const lookEveryMs = 2_000
/**
 * The runs end before their leases do, which are as old as the request that extended them: another
 * replica may read the sources from then on.
 */
const holdsForMs = leaseS * 1_000 - endsWithinMs

export type SourceRuns = AsyncDisposable & {
  /** Ends the reading of a source in this process. */
  stop(id: string): Promise<void>
}

/** Tells when the leases are about to run out, because they could not be extended. */
class LeaseTimer implements Disposable {
  readonly #onEnd: () => void
  #timer: NodeJS.Timeout | undefined

  constructor(onEnd: () => void) {
    this.#onEnd = onEnd
  }

  /** @param askedAt before the request, by `performance.now()` */
  extended(askedAt: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(this.#onEnd, askedAt + holdsForMs - performance.now())
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
  }
}

/** Reads the sources that this replica holds. */
export function openSourceRuns(leases: SourceLeases, deps: Omit<RunDeps, 'owner'>): SourceRuns {
  const runs = new Map<string, SourceRun>()
  const start = (row: SourceRow) =>
    runs.set(row.id, new SourceRun(row, { ...deps, owner: leases.owner }))

  async function stop(id: string): Promise<void> {
    const run = runs.get(id)
    runs.delete(id)
    await run?.[Symbol.asyncDispose]()
  }

  const stopAll = () => Promise.all([...runs.keys()].map(stop))

  const leaseTimer = new LeaseTimer(() => {
    deps.log.warn({ sources: runs.size }, 'source.leases.lost')
    void stopAll()
  })

  async function look(): Promise<void> {
    const askedAt = performance.now()
    const { held, excess } = await leases.extend()
    leaseTimer.extended(askedAt)
    const byId = new Map(held.map((row) => [row.id, row]))
    const isOver = ({ row, hasEnded }: SourceRun) =>
      hasEnded || byId.get(row.id)?.version !== row.version
    const ended = [...runs.values()].filter(isOver)
    await Promise.all(ended.map(({ row }) => stop(row.id)))
    for (const row of held) if (!runs.has(row.id)) start(row)
    if (excess.length > 0) await leases.release(excess.map(({ id }) => id))
    const all = [...runs.values()]
    deps.metrics.setStates(all.map(({ state }) => state))
    deps.metrics.budgetUsed.set(Math.max(0, ...all.map(({ budgetUsed }) => budgetUsed)))
  }

  const stopping = new AbortController()
  async function lookForEver(): Promise<void> {
    while (!stopping.signal.aborted) {
      await look().catch((err) => deps.log.warn({ reason: reasonOf(err) }, 'source.leases.away'))
      await sleep(lookEveryMs, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  }
  const looking = lookForEver()
  return {
    stop,
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await looking
      leaseTimer[Symbol.dispose]()
      await stopAll()
      await leases
        .leave()
        .catch((err) => deps.log.warn({ reason: reasonOf(err) }, 'source.leases.kept'))
    },
  }
}
