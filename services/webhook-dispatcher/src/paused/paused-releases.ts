import type { Delivery } from '../delivery/delivery.ts'
import { BlockedByEndpoint } from './blocked-by-endpoint.ts'
import type { PausedView } from './paused-actions.ts'
import type { PausedQueue } from './queues/paused-queue.ts'
import type { PausedQueues } from './queues/paused-queues.ts'
import type { PausedReading } from './topic/paused-reading.ts'
import type { PausedTopic } from './topic/paused-topic.ts'

/** How many subscriptions without a slot are asked in one pass. The others are asked later. */
const mostWithoutSlot = 16

export type PausedReleasesOptions = {
  view: PausedView
  queues: PausedQueues
  topic: PausedTopic
  reading: PausedReading
}

/** Decides which queue releases its next paused delivery. */
export class PausedReleases {
  readonly #options: PausedReleasesOptions
  readonly #blocked = new BlockedByEndpoint()
  /** Queues whose deliveries or state changed since the last check. */
  readonly #changed = new Set<string>()
  /** Endpoints that may have a free slot. */
  readonly #endpointsWithSlots = new Set<string>()
  /** Endpoints whose subscriptions were not all asked for slots. They go on with each tick. */
  readonly #unasked = new Set<string>()
  /** Queues with deliveries to read. */
  readonly #wanted = new Set<string>()
  /**
   * Queues whose next delivery waits for an earlier one to become known or to leave. They are checked
   * again with each tick.
   */
  readonly #early = new Set<string>()
  /** Queues whose next delivery waits for a free transition. They are checked again with each tick. */
  readonly #withoutTransition = new Set<string>()
  /** Queues whose next delivery is not due, and when it is (epoch ms). */
  readonly #later = new Map<string, number>()
  #wantsMore = false

  constructor(options: PausedReleasesOptions) {
    this.#options = options
  }

  /** Queues with deliveries to read. */
  get wanted(): Iterable<string> {
    return this.#wanted
  }

  /** Returns true once after another queue has something to read. */
  wantsMore(): boolean {
    const wantsMore = this.#wantsMore
    this.#wantsMore = false
    return wantsMore
  }

  changed(queueId: string): void {
    this.#changed.add(queueId)
  }

  allChanged(): void {
    for (const queueId of this.#options.queues.ids()) this.#changed.add(queueId)
  }

  endpointChanged(endpointId: string): void {
    this.#endpointsWithSlots.add(endpointId)
  }

  /** Call it when earlier deliveries may have become known or decided. */
  earlierKnown(): void {
    for (const queueId of this.#early) this.#changed.add(queueId)
    this.#early.clear()
  }

  /** Call it when many transitions are free again. */
  transitionsFree(): void {
    for (const queueId of this.#withoutTransition) this.#changed.add(queueId)
    this.#withoutTransition.clear()
  }

  /** Checks the time. Call it several times a second. */
  tick(): void {
    const now = Date.now()
    for (const [queueId, dueAt] of this.#later) if (dueAt <= now) this.#changed.add(queueId)
    this.earlierKnown()
    this.transitionsFree()
    for (const endpointId of this.#unasked) this.#endpointsWithSlots.add(endpointId)
    this.#unasked.clear()
  }

  /** Removes a queue that has no paused deliveries left. */
  forget(queueId: string): void {
    const { queues, topic } = this.#options
    const queue = queues.get(queueId)
    queues.delete(queueId)
    if (queue !== undefined && !queues.has(queue.subscriptionId)) topic.summary.removed()
    this.#wanted.delete(queueId)
    this.#later.delete(queueId)
    this.#blocked.leave(queueId)
  }

  /**
   * Yields the queues whose next delivery is in memory and may be released. The caller must take it
   * before asking for the next queue.
   */
  *due(): Generator<PausedQueue> {
    for (const endpointId of this.#endpointsWithSlots) {
      this.#endpointsWithSlots.delete(endpointId)
      yield* this.#dueAt(endpointId)
    }
    for (const queueId of this.#changed) yield* this.#dueOf(queueId)
  }

  *#dueAt(endpointId: string): Generator<PausedQueue> {
    const { view } = this.#options
    const withoutSlot = new Set<string>()
    for (const [subscriptionId, queueIds] of this.#blocked.at(endpointId)) {
      if (withoutSlot.has(subscriptionId)) return
      if (withoutSlot.size === mostWithoutSlot) return void this.#unasked.add(endpointId)
      for (const queueId of queueIds) {
        if (view.slotsOf(subscriptionId, queueId) === 0) {
          // Its other queues wait for the same slots.
          withoutSlot.add(subscriptionId)
          this.#blocked.passTurn(subscriptionId, endpointId)
          break
        }
        yield* this.#dueOf(queueId)
      }
    }
  }

  *#dueOf(queueId: string): Generator<PausedQueue> {
    const { view, queues, topic } = this.#options
    this.#changed.delete(queueId)
    this.#wanted.delete(queueId)
    this.#later.delete(queueId)
    const queue = queues.get(queueId)
    if (queue === undefined) return this.#blocked.leave(queueId)
    const { subscriptionId } = queue
    while (view.slotsOf(subscriptionId, queueId) > 0 && topic.knows(subscriptionId)) {
      const delivery = this.#nextOf(queueId, queue)
      if (delivery === undefined) return
      if (view.isBusy(delivery)) return this.#readsAhead(queueId, queue)
      if (view.mayGo(delivery, queueId)) yield queue
    }
    this.#waits(queueId, queue)
  }

  /** Returns the next delivery if nothing before it is left, or records what it waits for. */
  #nextOf(queueId: string, queue: PausedQueue): Delivery | undefined {
    const { view, queues, reading } = this.#options
    const next = queue.next(reading.scan)
    const comesLater = next.kind !== 'none' && this.#comesLater(queue)
    if (next.kind === 'kept' && !comesLater && view.isNext(next.delivery.job)) return next.delivery
    if (comesLater || this.#isInTheWay(queue)) queues.forgetBodies(queue, reading.scan)
    if (comesLater || next.kind === 'kept') {
      this.#early.add(queueId)
      this.#blocked.leave(queueId)
    } else if (next.kind === 'none') this.forget(queueId)
    else if (next.kind === 'later') this.#waitsUntil(queueId, next.dueAt)
    else this.#want(queueId)
    return undefined
  }

  /**
   * True if the bodies have to make room: the first delivery of the queue has no body in memory. It
   * needs the room itself, or other subscriptions need it.
   */
  #isInTheWay(queue: PausedQueue): boolean {
    const { queues, reading } = this.#options
    const needsRoom = queue.group !== null || !queues.hasRoom(queue.subscriptionId)
    return needsRoom && queue.keepsInVain(reading.scan)
  }

  /** True if deliveries from before its subscription was ordered come first. */
  #comesLater(queue: PausedQueue): boolean {
    if (queue.group === null) return false
    const { queues, reading } = this.#options
    const before = queues.get(queue.subscriptionId)?.leastArrival(reading.scan)
    return before !== undefined && before < queue.leastArrival(reading.scan)
  }

  #readsAhead(queueId: string, queue: PausedQueue): void {
    this.#blocked.leave(queueId)
    const { scan } = this.#options.reading
    if (queue.readsAhead && queue.unreadAt(scan) !== undefined) this.#want(queueId)
  }

  #waitsUntil(queueId: string, dueAt: number): void {
    this.#later.set(queueId, dueAt)
    this.#blocked.leave(queueId)
  }

  /** Records what the queue waits for, because nothing of it may start now. */
  #waits(queueId: string, queue: PausedQueue): void {
    const { view, topic, reading } = this.#options
    const { subscriptionId } = queue
    if (queue.isEmpty) return this.forget(queueId)
    const mayGoSoon = topic.knows(subscriptionId) && view.slotsOf(subscriptionId, queueId) >= 0
    const mayRead = queue.readsAhead && !this.#comesLater(queue)
    const hasMore = mayRead && queue.unreadAt(reading.scan) !== undefined
    if (mayGoSoon && hasMore) this.#want(queueId)
    const endpointId = view.endpointOf(subscriptionId, queueId)
    if (endpointId !== null) return this.#blocked.enter({ queueId, subscriptionId }, endpointId)
    this.#blocked.leave(queueId)
    // It is cancelled or rerouted, and needs no endpoint.
    if (mayGoSoon) this.#withoutTransition.add(queueId)
  }

  /** The next delivery of the queue has to be read. */
  #want(queueId: string): void {
    this.#wanted.add(queueId)
    this.#wantsMore = true
    this.#blocked.leave(queueId)
  }
}
