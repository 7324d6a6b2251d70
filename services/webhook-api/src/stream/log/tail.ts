import { setTimeout as sleep } from 'node:timers/promises'
import type { LogEnds } from '@surehook/kafka/offsets/log-ends'
import {
  type FetchedLog,
  type LogFetcher,
  OutOfLogError,
} from '@surehook/kafka/readers/log-fetcher'
import type { EventCodec } from '@surehook/schemas/codec'
import { backoffMs } from '@surehook/service-kit/backoff'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import { type Position, timeOf } from '../cursor/position.ts'
import { bytesOf, entriesByTenant } from './logged-entry.ts'
import { RecentChanges } from './recent-changes.ts'

export type TailDeps = {
  fetcher: LogFetcher
  codec: Pick<EventCodec, 'change'>
  ends: Pick<LogEnds, 'readAt' | 'partitions'>
  log: Logger
}

const fetchLimits = { waitMs: 1_000, bytes: 1_048_576 }
/** The pause between fetches. Under load it lets a fetch bring several changes at once. */
const pauseMs = 5
/** How often it looks for partitions that were added. */
const countEveryMs = 5_000
const backoff = { firstMs: 100, longestMs: 2_000 }
/**
 * The size of the raw records. Decoded records, of tenants with streams, take four times as much.
 */
const recentBytes = 4_194_304

/**
 * Follows the end of the log for all streams of the process. It repeats failed fetches and skips
 * nothing.
 */
export class Tail implements AsyncDisposable {
  readonly recent: RecentChanges
  readonly #deps: TailDeps
  readonly #stop = new AbortController()
  readonly #lost = new AbortController()
  readonly #running: Promise<void>

  constructor(deps: TailDeps, end: Position) {
    this.#deps = deps
    this.recent = new RecentChanges(end, recentBytes)
    this.#running = this.#follow()
  }

  /**
   * Aborts if the log lost records that were already read: the same offsets will be other records.
   */
  get lost(): AbortSignal {
    return this.#lost.signal
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#deps.fetcher[Symbol.asyncDispose]()
    await this.#running
  }

  async #follow(): Promise<void> {
    let countedAt = performance.now()
    const underWay = new Map<string, Promise<void>>()
    for (let failures = 0; !this.#stop.signal.aborted && !this.lost.aborted; ) {
      try {
        if (performance.now() - countedAt > countEveryMs) {
          await this.#beginAdded()
          countedAt = performance.now()
        }
        const leaders = await this.#deps.fetcher.leaders([...this.recent.end.offsets.keys()])
        await this.#resolve([...leaders.values()].flat())
        for (const [node, led] of leaders) {
          const known = led.filter((partition) => timeOf(this.recent.end.at(partition)) === null)
          if (underWay.has(node) || known.length === 0) continue
          const reading = this.#read(node, known).finally(() => underWay.delete(node))
          underWay.set(node, reading)
        }
        failures = 0
        await Promise.race(underWay.size > 0 ? underWay.values() : [this.#wait(backoff.longestMs)])
      } catch (err) {
        failures += 1
        await this.#failed(err, failures)
      }
    }
    await Promise.all(underWay.values())
  }

  /** Reads partitions that were added from their first record on. */
  async #beginAdded(): Promise<void> {
    const known = this.recent.end.offsets.length
    for (const partition of await this.#deps.ends.partitions())
      if (partition >= known) this.recent.begin(partition, 0)
  }

  /** Finds the offsets of partitions that had no leader when this tail began. */
  async #resolve(led: readonly number[]): Promise<void> {
    const unknown = this.recent.end.unknown.filter(({ partition }) => led.includes(partition))
    const [first] = unknown
    if (first === undefined) return
    // All of them began with the tail.
    const offsets = await this.#deps.ends.readAt(first.timeMs)
    for (const { partition } of unknown) {
      const found = offsets.find((of) => of.partition === partition)
      if (found !== undefined) this.recent.begin(partition, found.offset)
    }
  }

  /** Never rejects, so a leader that is away does not hold up the others. */
  async #read(node: string, partitions: readonly number[]): Promise<void> {
    const places = partitions.map((partition) => ({
      partition,
      offset: this.recent.end.at(partition),
    }))
    try {
      for (const piece of await this.#deps.fetcher.fetch(node, places, fetchLimits)) {
        await this.#take(piece)
      }
      await this.#wait(pauseMs)
    } catch (err) {
      await this.#failed(err, 1)
    }
  }

  async #take({ partition, messages, next }: FetchedLog): Promise<void> {
    const entries = await entriesByTenant(messages, this.#deps.codec)
    this.recent.append({ partition, next, bytes: bytesOf(messages), entries })
  }

  async #failed(err: unknown, failures: number): Promise<void> {
    if (this.#stop.signal.aborted) return
    if (err instanceof OutOfLogError) {
      this.#deps.log.error({ err }, 'stream.log_lost')
      this.#lost.abort()
      return
    }
    this.#deps.log.warn({ err, failures }, 'stream.tail')
    await this.#wait(backoffMs(failures, backoff))
  }

  async #wait(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#stop.signal }).catch(() => undefined)
  }
}
