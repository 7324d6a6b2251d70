import { setTimeout as sleep } from 'node:timers/promises'
import {
  type FetchedLog,
  type LogFetcher,
  OutOfLogError,
} from '@surehook/kafka/readers/log-fetcher'
import type { EventCodec } from '@surehook/schemas/codec'
import type { FairSlots } from '@surehook/service-kit/slots/fair-slots'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import { ownRecord } from '../../change-log/change-log.ts'
import type { Tenant } from '../../tenants/tenant.ts'
import { type Position, timeOf, type UnknownOffset } from '../cursor/position.ts'
import { LoggedEntry, tenantKeyOf } from './logged-entry.ts'
import type { RecentChanges } from './recent-changes.ts'

export type SourceDeps = {
  recent: RecentChanges
  fetcher: Pick<LogFetcher, 'fetchAll'>
  /** Limit the fetches whose records all streams hold at the same time, by project. */
  slots: FairSlots
  codec: Pick<EventCodec, 'change'>
  /**
   * Returns the own offsets of the first records at or after a time, of partitions that have a
   * leader.
   */
  offsetsAt: (timeMs: number) => Promise<ReadonlyMap<number, number>>
  log: Logger
}

/** Records that may hold changes of the tenant. Dispose of it in every case. */
export type Portion = Disposable & {
  readonly pieces: readonly OwnPiece[]
}

export type OwnPiece = {
  partition: number
  next: number
  entries: readonly LoggedEntry[]
}

const fetchLimits = { waitMs: 100, bytes: 1_048_576 }
const retryMs = 500

/**
 * Reads one tenant's changes from a position on. It fetches from Kafka until it reaches the recent
 * changes in memory, and reads those from then on. Unused changes come again.
 */
export class ChangeSource {
  readonly #deps: SourceDeps
  readonly #tenantKey: string
  readonly #owner: readonly string[]
  readonly #isOwn: ReturnType<typeof ownRecord>
  readonly #position: Position
  #sequence = 0
  /** How many partitions it does not yet read from the recent changes. */
  #behind = 0

  /**
   * @param position the reader moves it past the changes it uses; this class moves it past other
   * records
   */
  constructor(deps: SourceDeps, tenant: Tenant, position: Position) {
    this.#deps = deps
    this.#tenantKey = tenantKeyOf(tenant)
    this.#owner = [tenant.projectId, tenant.environment]
    this.#isOwn = ownRecord(tenant)
    this.#position = position
  }

  /**
   * Resolves with the next changes, or with `null` if there are none within `waitMs`. Rejects with
   * an `OutOfLogError` if records at the position have expired, and with the signal's reason.
   */
  async next(waitMs: number, signal: AbortSignal): Promise<Portion | null> {
    const until = performance.now() + waitMs
    for (;;) {
      signal.throwIfAborted()
      const { unknown } = this.#position
      const left = unknown.length === 0 ? 0 : await this.#resolve(unknown, signal)
      const missing = this.#deps.recent.missing(this.#position)
      this.#countBehind(left + missing.length)
      const fetched = missing.length > 0 ? await this.#fetch(missing, signal) : nothing
      if (fetched !== nothing) return fetched
      const piece = this.#recentPiece(missing)
      if (piece !== null) return { pieces: [piece], [Symbol.dispose]: () => undefined }
      if (missing.length > 0) return nothing
      const leftMs = until - performance.now()
      if (leftMs <= 0 || !(await this.#nextRecent(leftMs, signal))) return null
    }
  }

  /**
   * Finds the offsets of partitions that had no leader, once the tail reads them.
   * @returns how many are still unknown
   */
  async #resolve(unknown: readonly UnknownOffset[], signal: AbortSignal): Promise<number> {
    const { recent, offsetsAt, log } = this.#deps
    const read = unknown.filter(({ partition }) => timeOf(recent.end.at(partition)) === null)
    try {
      for (const timeMs of new Set(read.map((of) => of.timeMs))) {
        const offsets = await offsetsAt(timeMs)
        for (const { partition } of read.filter((of) => of.timeMs === timeMs)) {
          const offset = offsets.get(partition)
          if (offset !== undefined) this.#position.resolve(partition, offset)
        }
      }
    } catch (err) {
      log.warn({ err }, 'stream.offsets')
      await sleep(retryMs, undefined, { signal })
    }
    return this.#position.unknown.length
  }

  #countBehind(own: number): void {
    const behind = own + this.#deps.recent.end.unknown.length
    // Their recent changes may have been passed by.
    if (behind < this.#behind) this.#sequence = 0
    this.#behind = behind
  }

  /** @param missing partitions whose recent changes wait, because earlier ones are not yet read */
  #recentPiece(missing: readonly number[]): OwnPiece | null {
    const { recent } = this.#deps
    for (;;) {
      const found = recent.from(this.#sequence)
      if (found === null) break
      const { partition, next, entries } = found.piece
      const own = entries.get(this.#tenantKey)
      this.#sequence = found.sequence
      const waits = missing.includes(partition)
      if (!waits && own !== undefined && next > this.#position.at(partition)) {
        return { partition, next, entries: own }
      }
      if (!waits) this.#position.advance(partition, next)
      this.#sequence += 1
    }
    this.#skip(recent.followed(this.#position))
    return null
  }

  /**
   * Only called at the end of the recent changes: all records before the tenant's next one are of
   * others.
   */
  async #nextRecent(waitMs: number, signal: AbortSignal): Promise<boolean> {
    const { recent } = this.#deps
    const woken = Promise.withResolvers<boolean>()
    const followed = recent.followed(this.#position)
    const skip = () => {
      this.#skip(followed)
      this.#sequence = recent.nextSequence
    }
    using _waiting = recent.onNext(this.#tenantKey, () => {
      skip()
      woken.resolve(true)
    })
    const timer = setTimeout(() => {
      skip()
      woken.resolve(false)
    }, waitMs)
    const onAbort = () => woken.reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      return await woken.promise
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
    }
  }

  /** All records of these partitions up to the end of the recent changes are of others. */
  #skip(partitions: readonly number[]): void {
    const { end } = this.#deps.recent
    for (const partition of partitions) this.#position.advance(partition, end.at(partition))
  }

  /** Returns `nothing` if no partition has more, as without a leader. */
  async #fetch(missing: readonly number[], signal: AbortSignal): Promise<Portion> {
    const { fetcher, slots, log } = this.#deps
    const slot = await slots.take(this.#owner, { signal })
    try {
      const places = missing.map((partition) => ({
        partition,
        offset: this.#position.at(partition),
      }))
      const fetched = await fetcher.fetchAll(places, fetchLimits)
      // A partition without a leader returns nothing at once, so this avoids a busy loop.
      if (fetched.every(({ partition, next }) => next <= this.#position.at(partition))) {
        await sleep(fetchLimits.waitMs, undefined, { signal })
        slot[Symbol.dispose]()
        return nothing
      }
      return {
        pieces: fetched.map((piece) => this.#ownOf(piece)),
        [Symbol.dispose]: () => slot[Symbol.dispose](),
      }
    } catch (err) {
      slot[Symbol.dispose]()
      signal.throwIfAborted()
      if (err instanceof OutOfLogError) throw err
      log.warn({ err }, 'stream.read')
      await sleep(retryMs, undefined, { signal })
      return nothing
    }
  }

  #ownOf({ partition, next, messages }: FetchedLog): OwnPiece {
    const own = messages.filter(this.#isOwn)
    const entries = own.map((message) => new LoggedEntry(message, this.#deps.codec))
    return { partition, next, entries }
  }
}

const nothing: Portion = { pieces: [], [Symbol.dispose]: () => undefined }
