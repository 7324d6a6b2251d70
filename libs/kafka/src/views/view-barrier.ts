import { setTimeout as sleep } from 'node:timers/promises'
import { unavailable } from '@surehook/service-kit/errors'
import type { Logger } from 'pino'
import type { EmptyFetch } from '../kafkajs-patches/fetching/empty-fetches.ts'
import type { LogEnds, PartitionEnd } from '../offsets/log-ends.ts'

type Ends = Pick<LogEnds, 'read' | 'readBounds'>
type Waiter = { targets: PartitionEnd[]; done: PromiseWithResolvers<void> }

const retryMs = 100

/** Tracks how far each partition was applied, and lets callers wait for the end of the log. */
export class ViewBarrier {
  readonly #ends: Ends
  readonly #topics: readonly string[]
  readonly #withinMs: number
  readonly #log: Logger
  readonly #next = new Map<string, number>()
  readonly #waiters = new Set<Waiter>()
  #gathering: Promise<Waiter> | null = null
  #asking: Promise<unknown> = Promise.resolve()
  readonly #closed = new AbortController()
  #startsKnown = false

  /** @param ends end offsets of these topics, and possibly of others */
  constructor(
    ends: Ends,
    { topics, withinMs, log }: { topics: readonly string[]; withinMs: number; log: Logger },
  ) {
    this.#ends = ends
    this.#topics = topics
    this.#withinMs = withinMs
    this.#log = log
  }

  /** First offset of the partition that has not been applied. */
  next(topic: string, partition: number): number {
    return this.#next.get(`${topic}/${partition}`) ?? 0
  }

  advance(topic: string, partition: number, next: number): void {
    if (next <= this.next(topic, partition)) return
    this.#next.set(`${topic}/${partition}`, next)
    for (const waiter of this.#waiters) this.#settle(waiter)
  }

  /**
   * Resolves when all records acknowledged before this call are applied. All calls before the
   * request to the brokers share its answer. Later calls wait for the next request.
   */
  async reached(): Promise<void> {
    this.#gathering ??= this.#ask()
    const waiter = await this.#gathering
    await waiter.done.promise
  }

  #ask(): Promise<Waiter> {
    const sending = () => {
      if (this.#gathering === asked) this.#gathering = null
    }
    const asked: Promise<Waiter> = this.#asking.then(async () => {
      const targets = await this.#readEnds(sending)
      const waiter = { targets, done: Promise.withResolvers<void>() }
      this.#waiters.add(waiter)
      this.#settle(waiter)
      if (this.#waiters.has(waiter)) this.#giveUpLater(waiter)
      return waiter
    })
    this.#asking = asked.catch(() => undefined)
    return asked
  }

  /** A view that is stuck must not collect waiters whose callers are gone. */
  #giveUpLater(waiter: Waiter): void {
    const timer = setTimeout(() => {
      this.#waiters.delete(waiter)
      waiter.done.reject(unavailable('The view is behind'))
    }, this.#withinMs)
    const stop = () => clearTimeout(timer)
    waiter.done.promise.then(stop, stop)
  }

  async #readEnds(sending: () => void): Promise<PartitionEnd[]> {
    const deadline = performance.now() + this.#withinMs
    for (;;) {
      try {
        const ends = await (this.#startsKnown
          ? this.#ends.read(sending)
          : this.#readBounds(sending))
        return ends.filter(({ topic }) => this.#topics.includes(topic))
      } catch (err) {
        sending()
        this.#closed.signal.throwIfAborted()
        if (performance.now() + retryMs > deadline)
          throw unavailable('Kafka did not return the end offsets', err)
        await sleep(retryMs, undefined, { signal: this.#closed.signal })
      }
    }
  }

  /**
   * Counts records deleted before the start of the log as applied. Records deleted later were read,
   * or are a gap.
   */
  async #readBounds(sending: () => void): Promise<PartitionEnd[]> {
    const bounds = await this.#ends.readBounds(sending)
    for (const { topic, partition, start } of bounds) this.advance(topic, partition, start)
    this.#startsKnown = true
    return bounds
  }

  #settle(waiter: Waiter): void {
    const open = waiter.targets.filter(
      ({ topic, partition, end }) => this.next(topic, partition) < end,
    )
    waiter.targets = open
    if (open.length > 0) return
    this.#waiters.delete(waiter)
    waiter.done.resolve()
  }

  /**
   * The last offsets of a log may have no readable records (compacted away, transaction markers).
   * The leader shows this with a fetch that returns nothing below the end of the log.
   */
  empty({ topic, partition, to }: EmptyFetch): void {
    const next = this.next(topic, partition)
    if (to <= next) return
    this.#log.info({ topic, partition, next, to }, 'view.gap')
    this.advance(topic, partition, to)
  }

  /** Rejects all current and later callers. */
  close(reason: Error): void {
    this.#closed.abort(reason)
    for (const { done } of this.#waiters) done.reject(reason)
    this.#waiters.clear()
  }
}
