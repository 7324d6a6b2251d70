import { setTimeout as wait } from 'node:timers/promises'
import type { TopicView } from '@surehook/kafka/views/topic-view'
import { orAborted } from '@surehook/service-kit/bounded'
import { type KnownSubscription, unloaded } from './subscription.ts'
import type { SubscriptionEntry } from './subscription-table.ts'

/** The subscriptions of the whole topic: see `Subscriptions`. */
type AllSubscriptions = {
  get(subscriptionId: string): KnownSubscription | undefined
  read(subscriptionId: string): Promise<KnownSubscription | undefined>
  entryOf(subscriptionId: string): SubscriptionEntry | undefined
  isAnyAt(endpoint: string, at?: number): boolean
}

export type PartitionSubscriptionsOptions = {
  all: AllSubscriptions
  /** The view that the subscriptions are read from. */
  view: Pick<TopicView, 'barrier'>
  /** Called when the state of a subscription was read that `get` returned as unloaded. */
  onLoaded: (subscriptionId: string) => void
  onClose: () => void
}

/** A compacted record has a successor. Milliseconds after which to look whether the view has read it. */
const successorMs = 50

/**
 * The subscriptions of one assigned partition. Memory keeps those that had a delivery here since
 * the assignment.
 */
export class PartitionSubscriptions implements Disposable {
  readonly #options: PartitionSubscriptionsOptions
  readonly #known = new Map<string, KnownSubscription>()
  readonly #loading = new Map<string, Promise<void>>()
  #isClosed = false

  constructor(options: PartitionSubscriptionsOptions) {
    this.#options = options
  }

  /**
   * Returns `undefined` for a subscription that was deleted or never existed, unless the view is
   * behind. Returns `unloaded` while its state is read from the topic, which begins with this call.
   */
  get(subscriptionId: string): KnownSubscription | undefined {
    const known = this.#known.get(subscriptionId)
    if (known !== undefined) return known
    const found = this.#options.all.get(subscriptionId)
    if (found === undefined) return undefined
    if (found === unloaded) void this.#load(subscriptionId)
    else this.#known.set(subscriptionId, found)
    return found
  }

  /** The number of states in memory. */
  get size(): number {
    return this.#known.size
  }

  /** Returns what is in memory. */
  known(subscriptionId: string): KnownSubscription | undefined {
    return this.#known.get(subscriptionId)
  }

  /**
   * Resolves when `get` returns the state of the subscription, or `undefined` because it was
   * deleted. Rejects with the signal's reason, and when Kafka does not tell the end of the topic.
   */
  async current(subscriptionId: string, signal: AbortSignal): Promise<void> {
    const { view } = this.#options
    if (this.get(subscriptionId) === undefined) await view.barrier(signal)
    if (this.get(subscriptionId) !== unloaded) return
    await orAborted(this.#load(subscriptionId), signal)
  }

  /** Call it for every new state of any subscription; `undefined`: it was deleted. */
  changed(subscriptionId: string, to: KnownSubscription | undefined): void {
    if (!this.#known.has(subscriptionId) && !this.#loading.has(subscriptionId)) return
    if (to === undefined) this.#known.delete(subscriptionId)
    else this.#known.set(subscriptionId, to)
  }

  /** Returns the entry of the index, and does not load the state. */
  entryOf(subscriptionId: string): SubscriptionEntry | undefined {
    return this.#options.all.entryOf(subscriptionId)
  }

  isAnyAt(endpoint: string, at?: number): boolean {
    return this.#options.all.isAnyAt(endpoint, at)
  }

  [Symbol.dispose](): void {
    this.#isClosed = true
    this.#options.onClose()
  }

  #load(subscriptionId: string): Promise<void> {
    const loading = this.#loading.get(subscriptionId) ?? this.#loadOne(subscriptionId)
    this.#loading.set(subscriptionId, loading)
    return loading
  }

  async #loadOne(subscriptionId: string): Promise<void> {
    const isLoaded = () => this.#isClosed || this.#found(subscriptionId) !== unloaded
    while (!isLoaded()) {
      const read = await this.#options.all.read(subscriptionId)
      if (isLoaded()) break
      if (read !== undefined) this.#known.set(subscriptionId, read)
      else await wait(successorMs)
    }
    this.#loading.delete(subscriptionId)
    if (!this.#isClosed) this.#options.onLoaded(subscriptionId)
  }

  #found(subscriptionId: string): KnownSubscription | undefined {
    return this.#known.get(subscriptionId) ?? this.#options.all.get(subscriptionId)
  }
}
