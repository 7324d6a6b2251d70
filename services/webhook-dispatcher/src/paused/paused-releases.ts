import { BlockedByEndpoint } from './blocked-by-endpoint.ts'
import type { PausedView } from './paused-actions.ts'
import type { PausedQueue } from './paused-queue.ts'
import type { PausedQueues } from './paused-queues.ts'
import type { PausedReading } from './paused-reading.ts'
import type { PausedTopic } from './paused-topic.ts'

/** How many bodies of a subscription are read ahead of their release. */
const ahead = 512

export type PausedReleasesOptions = {
  view: PausedView
  queues: PausedQueues
  topic: PausedTopic
  reading: PausedReading
}

/** Decides which subscription releases its next paused delivery. */
export class PausedReleases {
  readonly #options: PausedReleasesOptions
  readonly #blocked = new BlockedByEndpoint()
  /** Subscriptions whose deliveries or state changed since the last check. */
  readonly #changed = new Set<string>()
  /** Endpoints that may have a free slot. */
  readonly #endpointsWithSlots = new Set<string>()
  /** Subscriptions with deliveries to read. */
  readonly #wanted = new Set<string>()
  /** Subscriptions whose next delivery waits for an earlier one to become known. */
  readonly #early = new Set<string>()
  #wantsMore = false

  constructor(options: PausedReleasesOptions) {
    this.#options = options
  }

  /** Subscriptions with deliveries to read. */
  get wanted(): Iterable<string> {
    return this.#wanted
  }

  /** Returns true once after another subscription has something to read. */
  wantsMore(): boolean {
    const wantsMore = this.#wantsMore
    this.#wantsMore = false
    return wantsMore
  }

  changed(subscriptionId: string): void {
    this.#changed.add(subscriptionId)
  }

  allChanged(): void {
    for (const subscriptionId of this.#options.queues.keys()) this.#changed.add(subscriptionId)
  }

  endpointChanged(endpointId: string): void {
    this.#endpointsWithSlots.add(endpointId)
  }

  /** Call it when earlier deliveries may have become known or decided. */
  earlierKnown(): void {
    for (const subscriptionId of this.#early) this.#changed.add(subscriptionId)
    this.#early.clear()
  }

  /** Removes a subscription that has no paused deliveries left. */
  forget(subscriptionId: string): void {
    this.#options.queues.delete(subscriptionId)
    this.#options.topic.summary.removed()
    this.#wanted.delete(subscriptionId)
    this.#blocked.leave(subscriptionId)
  }

  /**
   * Yields the queues whose next delivery is in memory and may be released. The caller must take it
   * before asking for the next queue.
   */
  *due(): Generator<PausedQueue> {
    for (const endpointId of this.#endpointsWithSlots) {
      this.#endpointsWithSlots.delete(endpointId)
      for (const subscriptionId of this.#blocked.at(endpointId)) {
        // The following subscriptions wait for the same endpoint.
        if (this.#options.view.slotsOf(subscriptionId) === 0) break
        yield* this.#dueOf(subscriptionId)
      }
    }
    for (const subscriptionId of this.#changed) yield* this.#dueOf(subscriptionId)
  }

  *#dueOf(subscriptionId: string): Generator<PausedQueue> {
    const { view, queues, topic, reading } = this.#options
    this.#changed.delete(subscriptionId)
    this.#wanted.delete(subscriptionId)
    const queue = queues.get(subscriptionId)
    if (queue === undefined) return this.#blocked.leave(subscriptionId)
    while (view.slotsOf(subscriptionId) > 0 && topic.knows(subscriptionId)) {
      const next = queue.next(reading.scan)
      if (next.kind === 'none') return this.forget(subscriptionId)
      if (next.kind !== 'kept') return this.#want(subscriptionId)
      if (!view.isNext(next.delivery.job)) {
        this.#early.add(subscriptionId)
        return this.#blocked.leave(subscriptionId)
      }
      if (view.mayGo(next.delivery)) yield queue
    }
    this.#waits(subscriptionId, queue)
  }

  /** Records what the queue waits for, because nothing of it may start now. */
  #waits(subscriptionId: string, queue: PausedQueue): void {
    const { view, topic, reading } = this.#options
    if (queue.isEmpty) return this.forget(subscriptionId)
    const mayGoSoon = topic.knows(subscriptionId) && view.slotsOf(subscriptionId) >= 0
    const hasMore = queue.kept < ahead && queue.unreadAt(reading.scan) !== undefined
    if (mayGoSoon && hasMore) this.#want(subscriptionId)
    const endpointId = view.endpointOf(subscriptionId)
    if (endpointId === null) this.#blocked.leave(subscriptionId)
    else this.#blocked.enter(subscriptionId, endpointId)
  }

  /** The next delivery of the subscription has to be read. */
  #want(subscriptionId: string): void {
    this.#wanted.add(subscriptionId)
    this.#wantsMore = true
    this.#blocked.leave(subscriptionId)
  }
}
