import { setTimeout as sleep } from 'node:timers/promises'
import { backoffMs } from '@surehook/service-kit/backoff'
import { boundedBy } from '@surehook/service-kit/bounded'
import { reasonOf } from '@surehook/service-kit/errors'
import type { Client } from 'pg'
import { endClient } from '../connection/end-client.ts'
import { shownReason } from '../connection/shown-reason.ts'
import { NotOwnerError } from '../slot/slot-store.ts'
import type { SourceRow } from '../source-row.ts'
import { capture } from './capture-source.ts'
import { keepFollowed } from './followed-store.ts'
import { isReady, prepareSource } from './prepare-source.ts'
import { ColumnPublisher } from './publish-columns.ts'
import type { RunDeps } from './run-deps.ts'
import { RunStatus } from './run-status.ts'
import { stateGap } from './state-gap.ts'
import { WalGuard } from './wal-guard.ts'

const backoff = { firstMs: 500, longestMs: 30_000 }
const lookEveryMs = 3_000
/** A run ends within this time, or is left to the fence of its slot. */
export const endsWithinMs = 6_000

/** Reads one source while it is open, whatever happens to its database. */
export class SourceRun implements AsyncDisposable {
  readonly row: SourceRow
  readonly #deps: RunDeps
  readonly #stop = new AbortController()
  readonly #status: RunStatus
  readonly #columns: ColumnPublisher
  readonly #guard: WalGuard
  readonly #done: Promise<void>
  #hasEnded = false

  constructor(row: SourceRow, deps: RunDeps) {
    this.row = row
    this.#deps = deps
    this.#status = new RunStatus(row, deps)
    this.#columns = new ColumnPublisher(row, deps)
    this.#guard = new WalGuard({ row, deps, status: this.#status })
    this.#done = this.#runForEver().finally(() => {
      this.#hasEnded = true
    })
  }

  /** True after another replica took the source. */
  get hasEnded(): boolean {
    return this.#hasEnded
  }

  get state() {
    return this.#status.state
  }

  /** The share of its budget that the database keeps for the slot. */
  get budgetUsed(): number {
    return (this.#status.retainedBytes ?? 0) / Number(this.row.wal_budget)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    try {
      await boundedBy(endsWithinMs, this.#done, 'the run did not end')
    } catch (err) {
      // It waits for Kafka. Its lease ends, and the slot has one reader.
      this.#deps.log.warn({ id: this.row.id, reason: reasonOf(err) }, 'source.run.left')
    }
  }

  async #runForEver(): Promise<void> {
    const { signal } = this.#stop
    for (let failures = 0; !signal.aborted; ) {
      const startedAt = performance.now()
      try {
        await this.#run()
      } catch (err) {
        if (signal.aborted || err instanceof NotOwnerError) return
        failures = performance.now() - startedAt > backoff.longestMs ? 1 : failures + 1
        const { id, name } = this.row
        this.#deps.log.warn({ id, name, failures, reason: reasonOf(err) }, 'source.unreachable')
        await this.#show({ state: 'unreachable', reason: shownReason(err) })
        await this.#wait(backoffMs(failures, backoff))
      }
    }
  }

  /** Looks and captures in turn, over one connection. Rejects when it fails. */
  async #run(): Promise<void> {
    const { signal } = this.#stop
    const client = await this.#deps.connect(this.row)
    // Also ends a statement that waits.
    const endAtOnce = () => void endClient(client)
    signal.addEventListener('abort', endAtOnce)
    try {
      while (!signal.aborted) await this.#look(client)
    } finally {
      signal.removeEventListener('abort', endAtOnce)
      await endClient(client)
    }
  }

  async #look(client: Client): Promise<void> {
    const { pool, tables } = this.#deps
    const { project_id: projectId, environment, name } = this.row
    const wanted = tables.of({ projectId, environment, name })
    const prepared = await prepareSource({ own: pool, source: client }, this.row, wanted)
    const { findings, following, leftOut } = prepared
    for (const table of leftOut) {
      await stateGap({ row: this.row, deps: this.#deps }, { reason: 'table_left_out', table })
    }
    await keepFollowed(pool, this.row.id, following)
    if (!isReady(prepared)) {
      await this.#guard.look(client)
      await this.#show({ state: 'unprepared', reason: null, findings })
      return this.#wait(lookEveryMs)
    }
    this.#status.set({ reason: null, findings })
    await capture({
      ...{ client, prepared, wanted, status: this.#status, columns: this.#columns },
      guard: this.#guard,
      ...{ row: this.row, deps: this.#deps, signal: this.#stop.signal },
    })
  }

  /** The status is of no use if it cannot be stored, and must not end the run. */
  async #show(status: Parameters<RunStatus['set']>[0]): Promise<void> {
    this.#status.set(status)
    await this.#status.store()
  }

  async #wait(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#stop.signal }).catch(() => undefined)
  }
}
