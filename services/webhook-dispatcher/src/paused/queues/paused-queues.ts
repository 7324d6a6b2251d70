import type { Delivery } from '../../delivery/delivery.ts'
import { pausedMark } from '../../delivery/paused-headers.ts'
import { type JobRecord, queueIdOf, recordQueueIdOf } from '../../delivery/record-groups.ts'
import { PausedBodies } from './paused-bodies.ts'
import { PausedQueue } from './paused-queue.ts'
import { nearAhead, type PausedRun, type Scan } from './paused-run.ts'

/** Above this number of ranges and bodies in memory, neighbouring ranges are merged. */
const mostPlaces = 50_000
/** So many records have a queue of their own. The others wait in the queue of their group. */
const defaultMostRecords = 10_000
/** They are counted once per this many batches. */
const countEvery = 64

/** The queues of one partition's paused deliveries, and their memory. */
export class PausedQueues {
  readonly #of = new Map<string, PausedQueue>()
  readonly #bySubscription = new Map<string, Set<string>>()
  readonly #added = new Set<string>()
  readonly #bodies = new PausedBodies()
  readonly #mostRecords: number
  /** The number of queues of one record. */
  #records = 0
  #near = nearAhead
  #batches = 0

  constructor(mostRecords = defaultMostRecords) {
    this.#mostRecords = mostRecords
  }

  /** The number of subscriptions. */
  get size(): number {
    return this.#bySubscription.size
  }

  /** Two deliveries of a subscription at most this far apart are read together. */
  get near(): number {
    return this.#near
  }

  /** The number of positions and bodies in memory. */
  get entries(): number {
    return this.#of.values().reduce((sum, queue) => sum + queue.places, 0)
  }

  /** The subscriptions. */
  keys(): MapIterator<string> {
    return this.#bySubscription.keys()
  }

  /** Returns the subscriptions that were added since the last call. */
  takeAdded(): string[] {
    const added = [...this.#added]
    this.#added.clear()
    return added
  }

  ids(): Iterable<string> {
    return this.#of.keys()
  }

  /** Returns the ids of the subscription's queues. */
  idsOf(subscriptionId: string): Iterable<string> {
    return this.#bySubscription.get(subscriptionId) ?? []
  }

  /** Forgets due times, of all subscriptions or one, so that deliveries are read and decided again. */
  forgetDueTimes(subscriptionId?: string): void {
    const ids = subscriptionId === undefined ? this.#of.keys() : this.idsOf(subscriptionId)
    for (const id of ids) this.#of.get(id)?.forgetDueTimes()
  }

  get(queueId: string): PausedQueue | undefined {
    return this.#of.get(queueId)
  }

  /**
   * Returns the id of the queue in which a delivery waits or has to wait. All deliveries of a record
   * are in one queue: that of its group while it has any, unless the record has its own already.
   */
  idOf(job: JobRecord, group: number | null): string {
    const ofGroup = queueIdOf(job.subscriptionId, group)
    if (group === null) return ofGroup
    const ofRecord = recordQueueIdOf(job, group)
    if (this.#of.has(ofRecord)) return ofRecord
    const hasRoom = this.#records < this.#mostRecords
    return hasRoom && !this.#of.has(ofGroup) ? ofRecord : ofGroup
  }

  /** Returns the id of the queue of a delivery that was read on the paused topic. */
  idOfRead({ job, message }: Delivery): string {
    return this.idOf(job, pausedMark(message).group)
  }

  /** Returns the queue in which a delivery has to wait. */
  of(job: JobRecord, group: number | null): PausedQueue {
    const id = this.idOf(job, group)
    return this.#of.get(id) ?? this.#add(id, job.subscriptionId, group)
  }

  #add(id: string, subscriptionId: string, group: number | null): PausedQueue {
    const queue = new PausedQueue({ id, subscriptionId, group })
    this.#of.set(id, queue)
    if (isOfRecord(queue)) this.#records++
    const ids = this.#bySubscription.get(subscriptionId)
    if (ids === undefined) {
      this.#bySubscription.set(subscriptionId, new Set([id]))
      this.#added.add(subscriptionId)
    } else ids.add(id)
    return queue
  }

  delete(queueId: string): void {
    const queue = this.#of.get(queueId)
    if (queue === undefined) return
    this.#of.delete(queueId)
    if (isOfRecord(queue)) this.#records--
    const ids = this.#bySubscription.get(queue.subscriptionId)
    ids?.delete(queueId)
    if (ids?.size === 0) this.#bySubscription.delete(queue.subscriptionId)
  }

  has(subscriptionId: string): boolean {
    return this.#bySubscription.has(subscriptionId)
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

  /** True if there is room for its next body, or room can be made. */
  mayRead(queue: PausedQueue, mayLose: (subscriptionId: string) => boolean): boolean {
    if (this.hasRoom(queue.subscriptionId)) return true
    const largest = queue.kept > 0 ? undefined : this.#bodies.largest(mayLose)
    return largest !== undefined && largest !== queue.subscriptionId
  }

  /** Removes a delivery that is relocated or was handled elsewhere. */
  remove(delivery: Delivery): void {
    const kept = this.#of.get(this.idOfRead(delivery))?.remove(delivery.message.offset)
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
    if (largest === undefined || largest === queue.subscriptionId) return false
    for (const id of this.idsOf(largest)) this.forgetBodies(this.#of.get(id) as PausedQueue, scan)
    return true
  }

  /** Drops the bodies of a queue, which are then read again. */
  forgetBodies(queue: PausedQueue, scan: Scan): void {
    for (const delivery of queue.forgetBodies(scan)) this.#uncount(delivery)
  }

  /** Bounds the number of ranges, however many deliveries there are. Call it after each batch. */
  bound(): void {
    if (this.#batches++ % countEvery > 0) return
    const places = this.entries - this.#of.size
    if (places > mostPlaces) {
      this.#near *= 2
      for (const queue of this.#of.values()) queue.coalesce(this.#near)
    } else if (places < mostPlaces / 4) {
      // With shorter distances between them, what is placed from now on still finds room.
      this.#near = Math.max(nearAhead, this.#near / 2)
    }
  }

  #uncount({ job }: Delivery): void {
    this.#bodies.remove(job.subscriptionId, job.body.length)
  }
}

const isOfRecord = ({ id, subscriptionId, group }: PausedQueue): boolean =>
  id !== queueIdOf(subscriptionId, group)
