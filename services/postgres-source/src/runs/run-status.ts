import { reasonOf } from '@surehook/service-kit/errors'
import { pendingStatus, type SourceRow, type SourceStatus } from '../source-row.ts'
import type { RunDeps } from './run-deps.ts'

/** Numbers change all the time, and are stored this often. */
const numbersEveryMs = 15_000

/** What the API shows of a source that this replica reads. */
export class RunStatus {
  readonly #row: SourceRow
  readonly #deps: Pick<RunDeps, 'pool' | 'owner' | 'log'>
  #status: SourceStatus
  /** What was stored last of what people act on. */
  #stored = ''
  #storedAt = Number.NEGATIVE_INFINITY

  constructor(row: SourceRow, deps: Pick<RunDeps, 'pool' | 'owner' | 'log'>) {
    this.#row = row
    this.#deps = deps
    this.#status = { ...pendingStatus, ...row.status }
  }

  get state() {
    return this.#status.state
  }

  get retainedBytes() {
    return this.#status.retainedBytes
  }

  set(part: Partial<SourceStatus>): void {
    this.#status = { ...this.#status, ...part }
  }

  /** Stores it if it tells something new. It is of no use without its database, and does not reject. */
  async store(): Promise<void> {
    const { pool, owner, log } = this.#deps
    const { state, reason, findings } = this.#status
    const telling = JSON.stringify({ state, reason, findings })
    const now = performance.now()
    if (telling === this.#stored && now - this.#storedAt < numbersEveryMs) return
    try {
      await pool.query('update source set status = $3 where id = $1 and owner = $2', [
        this.#row.id,
        owner,
        JSON.stringify(this.#status),
      ])
      this.#stored = telling
      this.#storedAt = now
    } catch (err) {
      log.warn({ id: this.#row.id, reason: reasonOf(err) }, 'source.status.not_stored')
    }
  }
}
