import type { Delivery } from '../partition/delivery.ts'
import { PausedBodies } from './paused-bodies.ts'
import { PausedQueue } from './paused-queue.ts'
import { nearAhead } from './paused-reading.ts'
import type { PausedRun, Scan } from './paused-run.ts'

/** Above this number of places in memory, neighbouring places are merged. */
const mostPlaces = 50_000
/** Places are counted once per this many batches. */
const countEvery = 64

/** The paused deliveries of one partition by subscription, and their memory. */
export class PausedQueues {
  readonly #of = new Map<string, PausedQueue>()
  readonly #bodies = new PausedBodies()
  #near = nearAhead
  #batches = 0

  /** The number of subscriptions. */
  get size(): number {
    return this.#of.size
  }

  /** Two deliveries of a subscription at most this far apart are read together. */
  get near(): number {
    return this.#near
  }

  /** The number of places and bodies in memory. */
  get entries(): number {
    return this.#of.values().reduce((sum, queue) => sum + queue.places, 0)
  }

  keys(): Iterable<string> {
    return this.#of.keys()
  }

  get(subscriptionId: string): PausedQueue | undefined {
    return this.#of.get(subscriptionId)
  }

  add(subscriptionId: string): PausedQueue {
    const queue = new PausedQueue()
    this.#of.set(subscriptionId, queue)
    return queue
  }

  delete(subscriptionId: string): void {
    this.#of.delete(subscriptionId)
  }

  /** Returns whether one more body of the subscription may be kept. */
  hasRoom(subscriptionId: string): boolean {
    return this.#bodies.hasRoom(subscriptionId)
  }

  keep(queue: PausedQueue, delivery: Delivery, run: PausedRun | null): void {
    queue.keep(delivery, run)
    this.#bodies.add(delivery.job.subscriptionId, delivery.job.body.length)
  }

  /** Removes and returns the next delivery of a subscription, with other copies of it. */
  take(queue: PausedQueue): { delivery: Delivery; copies: Delivery[] } | undefined {
    const taken = queue.take()
    if (taken === undefined) return undefined
    for (const one of [taken.delivery, ...taken.copies]) this.#uncount(one)
    return taken
  }

  /** Removes a delivery that leaves its place. */
  remove({ job, message }: Delivery): void {
    const kept = this.#of.get(job.subscriptionId)?.remove(message.offset)
    if (kept !== undefined) this.#uncount(kept)
  }

  /**
   * Makes room for a subscription without a body by dropping those of a subscription with many.
   * @param mayLose whether a subscription's bodies may be dropped
   */
  makeRoom(
    queue: PausedQueue,
    { mayLose, scan }: { mayLose: (subscriptionId: string) => boolean; scan: Scan },
  ): boolean {
    if (queue.kept > 0) return false
    const largest = this.#bodies.largest(mayLose)
    const other = largest === undefined ? undefined : this.#of.get(largest)
    if (other === undefined || other === queue) return false
    for (const delivery of other.forgetBodies(scan)) this.#uncount(delivery)
    return true
  }

  /** Bounds the number of places, however many deliveries there are. Call it after each batch. */
  bound(): void {
    if (this.#batches++ % countEvery > 0 || this.entries <= mostPlaces) return
    this.#near *= 2
    for (const queue of this.#of.values()) queue.coalesce(this.#near)
  }

  #uncount({ job }: Delivery): void {
    this.#bodies.remove(job.subscriptionId, job.body.length)
  }
}
