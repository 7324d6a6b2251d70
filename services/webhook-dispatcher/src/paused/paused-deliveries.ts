import type { DeliveryJob } from '@surehook/contracts/events'
import type { AssignedPartition } from '@surehook/kafka/windowed/assigned-partition'
import type { Delivery } from '../delivery/delivery.ts'
import { pausedMark } from '../delivery/paused-headers.ts'
import type { JobRecord } from '../delivery/record-groups.ts'
import type { PausedAction, PausedView } from './paused-actions.ts'
import { PausedArrivals } from './paused-arrivals.ts'
import { PausedReleases } from './paused-releases.ts'
import { type PausedQueue, positionOf } from './queues/paused-queue.ts'
import { PausedQueues } from './queues/paused-queues.ts'
import { PausedPlacing } from './topic/paused-placing.ts'
import { PausedReading, type ReadDemands } from './topic/paused-reading.ts'
import { PausedTopic } from './topic/paused-topic.ts'
import { UnpublishedDeliveries } from './topic/unpublished-deliveries.ts'

/** Above this number of written but unread deliveries, the end of the topic is read first. */
const mostUnread = 1_000

type ExpectedDelivery = JobRecord & Pick<DeliveryJob, 'arrival' | 'step'>

/**
 * The deliveries of one partition on the paused topic. Each waits until its circuit closes, its
 * subscription is active and its endpoint has a slot. A delivery that keeps the order of its record
 * also waits for earlier ones and for its due time, never for another subscription. Memory holds
 * ranges of offsets per queue and the next few bodies. A queue that waits costs no work.
 */
export class PausedDeliveries {
  readonly #assignment: AssignedPartition
  readonly #view: PausedView
  readonly #topic: PausedTopic
  readonly #reading: PausedReading
  readonly #queues: PausedQueues
  readonly #unpublished = new UnpublishedDeliveries()
  readonly #placing: PausedPlacing
  readonly arrivals: PausedArrivals
  readonly #releases: PausedReleases
  /** By offset, released deliveries whose record is still open here. */
  readonly #released = new Map<number, { delivery: Delivery; published: boolean }>()
  readonly #due: PausedAction[] = []
  #unread = 0
  /** True while a batch is being read; the next position is decided when it ends. */
  #inBatch = false
  /** True if something changed that affects the next position. */
  #mayReadElse = true

  /** @param mostRecords how many records have a queue of their own */
  constructor(assignment: AssignedPartition, view: PausedView, mostRecords?: number) {
    this.#queues = new PausedQueues(mostRecords)
    this.#assignment = assignment
    this.#view = view
    this.#reading = new PausedReading(assignment.next)
    this.#topic = new PausedTopic(assignment)
    const shared = { view, queues: this.#queues, topic: this.#topic, reading: this.#reading }
    this.#placing = new PausedPlacing(shared)
    this.#releases = new PausedReleases(shared)
    this.arrivals = new PausedArrivals(shared)
    assignment.noteOf = () => this.#topic.note(this.#queues, this.#released.values())
  }

  /** False until it is known which subscriptions may have paused deliveries. */
  get isReady(): boolean {
    return this.#topic.isReady
  }

  /** The number of paused deliveries. */
  get size(): number {
    return this.#assignment.open - this.#released.size
  }

  /** The number of positions and bodies in memory. */
  get entries(): number {
    return this.#queues.entries
  }

  /**
   * True if a delivery of the same queue, or a delivery of the subscription without a group, may be
   * paused. Later deliveries then wait behind it.
   */
  mayHave(job: JobRecord, group: number | null): boolean {
    if (this.#topic.mayHave(job.subscriptionId)) return true
    const queueOf = (of: number | null) => this.#queues.get(this.#queues.idOf(job, of))
    return Boolean(queueOf(null) ?? queueOf(group))
  }

  /**
   * Call it before a delivery is written to the paused topic.
   * @param job as it is written
   * @returns the run that a relocated delivery continues
   */
  expect(job: ExpectedDelivery, group: number | null): number {
    const { arrival, step } = job
    const queue = this.#queueOf(job, group)
    queue.expect(arrival, step)
    this.#unread++
    this.#releases.changed(queue.id)
    return queue.runFor(arrival)
  }

  /** Call it after Kafka failed to take all records. @returns false if the job is on the topic */
  unexpect(job: ExpectedDelivery, group: number | null): boolean {
    const queueId = this.#queues.idOf(job, group)
    const queue = this.#queues.get(queueId)
    const wasExpected = queue?.unexpect(job.arrival, job.step) ?? false
    if (wasExpected) this.#unread--
    if (queue?.isEmpty) this.#releases.forget(queueId)
    else this.#releases.changed(queueId)
    return wasExpected
  }

  /** Call it when a delivery of a group has ended: the next one of its record may start. */
  recordEnded(job: JobRecord, group: number): void {
    this.#releases.changed(this.#queues.idOf(job, group))
  }

  /** Puts back a delivery whose release or relocation failed. */
  putBack(delivery: Delivery): void {
    const { job, message } = delivery
    const { group } = pausedMark(message)
    const published = this.#released.get(message.offset)?.published ?? true
    this.#released.delete(message.offset)
    const dueAt = group === null ? 0 : this.#view.dueAt(delivery)
    const queue = this.#queueOf(job, group)
    queue.putBack(positionOf(delivery), dueAt)
    if (!published) this.#unpublished.add(job.subscriptionId, message, this.#reading.scan)
    this.#releases.changed(queue.id)
  }

  /** Call it when Kafka has the next record of a released delivery. */
  gone(offset: number): void {
    this.#released.delete(offset)
  }

  /** Announces a batch that was fetched from `offset`. */
  batchBegins(offset: number): void {
    this.#inBatch = true
    this.#reading.begins(offset)
  }

  read(delivery: Delivery): void {
    const { message } = delivery
    message.detach()
    if (this.#released.has(message.offset)) return
    if (message.reread) this.#readAgain(delivery)
    else this.#readFirst(delivery)
    if (this.#topic.movesAt(message.offset, this.#reading.scan)) this.#relocate(delivery)
    else this.#releases.changed(this.#queues.idOfRead(delivery))
  }

  /** Handles a delivery on the topic whose transition was already made elsewhere. */
  repeated(delivery: Delivery): void {
    const { arrival, step } = delivery.job
    const queueId = this.#queues.idOfRead(delivery)
    if (this.#queues.get(queueId)?.unexpect(arrival, step)) this.#unread--
    this.#queues.remove(delivery)
    this.#releases.changed(queueId)
  }

  /** @param position the offset that is read next, unless a seek follows */
  batchEnded(position: number): void {
    this.#inBatch = false
    this.#mayReadElse = true
    this.#reading.ended(position)
    const wasComplete = this.#topic.isComplete
    this.#topic.wasRead(this.#reading.scan)
    if (this.#topic.isComplete && !wasComplete) this.#releases.allChanged()
    this.#queues.bound()
  }

  /** After a rejoin, reading goes on from the assigned partition's position. */
  sought(): void {
    this.#inBatch = false
    this.#reading.movedTo(this.#assignment.next)
    this.resumed()
  }

  subscriptionChanged(subscriptionId: string): void {
    // Its deliveries may be cancelled now.
    this.#queues.forgetDueTimes(subscriptionId)
    if (!this.#queues.has(subscriptionId)) return
    for (const queueId of this.#queues.idsOf(subscriptionId)) this.#releases.changed(queueId)
    this.#mayReadElse = true
  }

  /** Call it when a transition has ended: rerouted and cancelled deliveries wait for a free one. */
  transitionEnded(): void {
    if (!this.#view.transitionsFreeAgain()) return
    this.#releases.transitionsFree()
    this.#mayReadElse = true
  }

  /** Call it when an endpoint may have a free slot, or its circuit opened or closed. */
  endpointChanged(endpointId: string): void {
    this.#releases.endpointChanged(endpointId)
  }

  /** Call it when earlier deliveries may have become known or decided. */
  earlierKnown(): void {
    this.#releases.earlierKnown()
  }

  /** Call it when work may continue. `reroutes`: deliveries may leave before they are due. */
  resumed({ reroutes = false } = {}): void {
    if (reroutes) this.#queues.forgetDueTimes()
    this.#releases.allChanged()
    this.#mayReadElse = true
  }

  /** Call it several times a second: each call may publish a bounded number of statuses. */
  tick(): void {
    this.#unpublished.tick()
    this.#reading.tick()
    this.#topic.sample(this.#reading.scan)
    this.#releases.tick()
    this.#mayReadElse = true
  }

  /** Yields actions one after another, because each may change the next. */
  *actions(): Generator<PausedAction> {
    yield* this.#due.splice(0)
    if (this.isReady) {
      for (const queue of this.#releases.due()) yield* this.#release(queue)
    }
    this.#mayReadElse ||= this.#releases.wantsMore()
    if (this.#inBatch || !this.#mayReadElse) return
    this.#mayReadElse = false
    const from = this.#reading.next(this.#readDemands(), this.#assignment.next)
    if (from !== null) yield { kind: 'read', from }
  }

  *#release(queue: PausedQueue): Generator<PausedAction> {
    const taken = this.#queues.take(queue)
    if (taken === undefined) return
    const { delivery, copies } = taken
    for (const copy of copies) yield { kind: 'give-up', delivery: copy }
    const published = this.#isPublished(delivery)
    this.#released.set(delivery.message.offset, { delivery, published })
    yield { kind: 'release', delivery }
  }

  #readDemands(): ReadDemands {
    const { scan } = this.#reading
    const offsets: number[] = []
    const mayLose = (id: string) => this.#view.slotsOf(id) <= 0
    let isExpected = this.#unread > mostUnread
    for (const queueId of this.#releases.wanted) {
      const queue = this.#queues.get(queueId)
      const offset = queue?.unreadAt(scan)
      if (queue === undefined || offset === undefined) isExpected = true
      else if (this.#queues.mayRead(queue, mayLose)) offsets.push(offset)
    }
    const { next } = this.#assignment
    return {
      end: isExpected || !this.isReady ? next : undefined,
      release: offsets,
      publish: this.isReady ? this.#unpublished.next(scan, this.#view) : undefined,
      move: this.#topic.moveFrom(scan),
      skipped: this.isReady ? (this.#assignment.skippedFrom ?? undefined) : undefined,
    }
  }

  #readFirst(delivery: Delivery): void {
    const { job, message } = delivery
    const { subscriptionId, arrival, step } = job
    const { group, published } = pausedMark(message)
    const queue = this.#queueOf(job, group)
    if (queue.unexpect(arrival, step)) this.#unread--
    this.#placing.first(queue, delivery)
    if (published) return
    if (this.#view.isPaused(subscriptionId) && this.#unpublished.publishAtOnce(subscriptionId))
      this.#due.push({ kind: 'publish', job })
    else this.#unpublished.add(subscriptionId, message, this.#reading.scan)
  }

  #readAgain(delivery: Delivery): void {
    const { job, message } = delivery
    const queue = this.#queues.get(this.#queues.idOfRead(delivery))
    if (queue) this.#placing.again(queue, delivery)
    if (pausedMark(message).published) return
    const now = { isPaused: this.#view.isPaused(job.subscriptionId), scan: this.#reading.scan }
    if (this.#unpublished.publish(job.subscriptionId, message, now))
      this.#due.push({ kind: 'publish', job })
  }

  #relocate(delivery: Delivery): void {
    const published = this.#isPublished(delivery)
    this.#queues.remove(delivery)
    this.#released.set(delivery.message.offset, { delivery, published })
    this.#due.push({ kind: 'relocate', delivery, published })
  }

  #isPublished({ job, message }: Delivery): boolean {
    if (pausedMark(message).published) return true
    return this.#unpublished.isPublished(job.subscriptionId, message.offset)
  }

  #queueOf(job: JobRecord, group: number | null): PausedQueue {
    if (!this.#queues.has(job.subscriptionId)) this.#topic.summary.add(job.subscriptionId)
    return this.#queues.of(job, group)
  }
}
