import { BlockedByEndpoint } from './blocked-by-endpoint.ts'
import type { PausedView } from './paused-actions.ts'
import type { PausedQueue } from './paused-queue.ts'
import type { PausedQueues } from './paused-queues.ts'
import type { PausedReading } from './paused-reading.ts'
import type { PausedTopic } from './paused-topic.ts'

/** So many bodies of a subscription are read ahead of their release. */
const ahead = 512

export type PausedReleasesOptions = {
  view: PausedView
  queues: PausedQueues
  topic: PausedTopic
  reading: PausedReading
}

/** Whose turn it is among the subscriptions that have paused deliveries. */
export class PausedReleases {
  readonly #options: PausedReleasesOptions
  readonly #blocked = new BlockedByEndpoint()
  /** Subscriptions whose deliveries or state changed since they were looked at. */
  readonly #changed = new Set<string>()
  /** Endpoints that may have a free slot. */
  readonly #endpointsWithSlots = new Set<string>()
  /** Subscriptions of which more is to be read. */
  readonly #wanted = new Set<string>()
  /** Subscriptions whose next delivery waits for an earlier one to be known. */
  readonly #early = new Set<string>()
  #wantsMore = false

  constructor(options: PausedReleasesOptions) {
    this.#options = options
  }

  /** Subscriptions of which more is to be read. */
  get wanted(): Iterable<string> {
    return this.#wanted
  }

  /** True once after another subscription wants something to be read. */
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

  /** Earlier deliveries may be known, or decided, that others waited for. */
  earlierKnown(): void {
    for (const subscriptionId of this.#early) this.#changed.add(subscriptionId)
    this.#early.clear()
  }

  /** Nothing of it is paused any more. */
  forget(subscriptionId: string): void {
    this.#options.queues.delete(subscriptionId)
    this.#options.topic.summary.removed()
    this.#wanted.delete(subscriptionId)
    this.#blocked.leave(subscriptionId)
  }

  /** The queues whose next delivery is in memory and may go: it has to be taken before the next queue comes. */
  *due(): Generator<PausedQueue> {
    for (const endpointId of this.#endpointsWithSlots) {
      this.#endpointsWithSlots.delete(endpointId)
      for (const subscriptionId of this.#blocked.at(endpointId)) {
        // Those behind it wait for the same.
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

  /** Nothing of it may start now. */
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

  /** Its next delivery has to be read. */
  #want(subscriptionId: string): void {
    this.#wanted.add(subscriptionId)
    this.#wantsMore = true
    this.#blocked.leave(subscriptionId)
  }
}
