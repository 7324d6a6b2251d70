import type { Delivery } from '../partition/delivery.ts'
import { PausedBodies } from './paused-bodies.ts'
import { PausedQueue } from './paused-queue.ts'
import { nearAhead } from './paused-reading.ts'
import type { PausedRun, Scan } from './paused-run.ts'

/** So many places of deliveries are in memory, before they are told apart less finely. */
const mostPlaces = 50_000
/** They are counted after so many batches. */
const countEvery = 64

/** The paused deliveries of one partition, by subscription, and the memory that they take. */
export class PausedQueues {
  readonly #of = new Map<string, PausedQueue>()
  readonly #bodies = new PausedBodies()
  #near = nearAhead
  #batches = 0

  /** The subscriptions. */
  get size(): number {
    return this.#of.size
  }

  /** Two deliveries of a subscription that are no further apart are read in one go. */
  get near(): number {
    return this.#near
  }

  /** Number of places and bodies that are in memory. */
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

  /** Whether one more body of the subscription may be kept. */
  hasRoom(subscriptionId: string): boolean {
    return this.#bodies.hasRoom(subscriptionId)
  }

  keep(queue: PausedQueue, delivery: Delivery, run: PausedRun | null): void {
    queue.keep(delivery, run)
    this.#bodies.add(delivery.job.subscriptionId, delivery.job.body.length)
  }

  /** The next of a subscription, and other copies of it. */
  take(queue: PausedQueue): { delivery: Delivery; copies: Delivery[] } | undefined {
    const taken = queue.take()
    if (taken === undefined) return undefined
    for (const one of [taken.delivery, ...taken.copies]) this.#uncount(one)
    return taken
  }

  /** The delivery leaves its place. */
  remove({ job, message }: Delivery): void {
    const kept = this.#of.get(job.subscriptionId)?.remove(message.offset)
    if (kept !== undefined) this.#uncount(kept)
  }

  /**
   * A subscription that has no body here goes before another that has many and cannot go.
   * @param mayLose whether the bodies of a subscription are worth less
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

  /** Bounds the places, however many deliveries there are; to be called after each batch. */
  bound(): void {
    if (this.#batches++ % countEvery > 0 || this.entries <= mostPlaces) return
    this.#near *= 2
    for (const queue of this.#of.values()) queue.coalesce(this.#near)
  }

  #uncount({ job }: Delivery): void {
    this.#bodies.remove(job.subscriptionId, job.body.length)
  }
}
