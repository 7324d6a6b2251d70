import type { SubscriptionState } from '@surehook/contracts/events'
import { NewestEntries } from '@surehook/service-kit/newest-entries'
import {
  PartitionSubscriptions,
  type PartitionSubscriptionsOptions,
} from './partition-subscriptions.ts'
import type { SecretsOpener } from './secrets-opener.ts'
import type { ReadState, StateReader } from './state-reader.ts'
import { type KnownSubscription, Subscription, unloaded, unreadable } from './subscription.ts'
import { type SubscriptionEntry, SubscriptionTable } from './subscription-table.ts'

/** @param left the endpoint to which the subscription has delivered until now, if it has another */
type SubscriptionListener = (subscriptionId: string, left: string | null) => void

export type SubscriptionsOptions = {
  opener: SecretsOpener
  reader: Pick<StateReader, 'read'>
  /** The least number of newest states that stay in memory, even if no partition needs them. */
  newestStates: number
}

/**
 * Every subscription of the compacted topic. For most, memory has only the offset of the state. The
 * state is read when a partition of this process has a delivery of the subscription.
 */
export class Subscriptions {
  readonly #table = new SubscriptionTable()
  readonly #newest: NewestEntries<string, KnownSubscription>
  readonly #partitions = new Set<PartitionSubscriptions>()
  readonly #options: SubscriptionsOptions
  #onChange: SubscriptionListener = () => undefined

  constructor(options: SubscriptionsOptions) {
    this.#options = options
    this.#newest = new NewestEntries(options.newestStates)
  }

  /** Calls `listener` for each subscription whose state has changed. */
  onChange(listener: SubscriptionListener): void {
    this.#onChange = listener
  }

  /** Opens the subscriptions of an assigned partition. Dispose them when it is revoked. */
  open(options: Omit<PartitionSubscriptionsOptions, 'all' | 'onClose'>): PartitionSubscriptions {
    const partition = new PartitionSubscriptions({
      ...options,
      all: this,
      onClose: () => this.#partitions.delete(partition),
    })
    this.#partitions.add(partition)
    return partition
  }

  /** Returns `undefined` for a subscription that was deleted or never existed. */
  get(subscriptionId: string): KnownSubscription | undefined {
    const newest = this.#newest.get(subscriptionId)
    if (newest !== undefined) return newest
    return this.#table.find(subscriptionId) === undefined ? undefined : unloaded
  }

  /** Returns what is known without the state. */
  entryOf(subscriptionId: string): SubscriptionEntry | undefined {
    return this.#table.find(subscriptionId)
  }

  /** The number of states that the partitions have in memory. */
  get loaded(): number {
    let sum = 0
    for (const partition of this.#partitions) sum += partition.size
    return sum
  }

  /** The name of a subscription, if a partition of this process has it. */
  nameOf(subscriptionId: string): string | null {
    for (const partition of this.#partitions) {
      const name = partition.known(subscriptionId)?.name
      if (name !== undefined) return name
    }
    return null
  }

  /** @param offset of the state on the topic */
  apply(subscriptionId: string, state: SubscriptionState | null, offset: number): void {
    if (state === null) return this.#set(subscriptionId, undefined, offset)
    this.#set(subscriptionId, new Subscription(state, this.#options.opener), offset)
  }

  /** Call it if the newest state cannot be decoded. */
  unreadable(subscriptionId: string, offset: number): void {
    this.#set(subscriptionId, unreadable, offset)
  }

  /** Reads the newest state. Resolves with undefined if it was replaced or deleted meanwhile. */
  async read(subscriptionId: string): Promise<KnownSubscription | undefined> {
    const offset = this.#table.find(subscriptionId)?.offset
    if (offset === undefined) return undefined
    const state = await this.#options.reader.read(offset)
    const isNewest = this.#table.find(subscriptionId)?.offset === offset
    return isNewest ? this.#knownOf(subscriptionId, state) : undefined
  }

  /**
   * True if a subscription delivers to the endpoint that existed at the time (epoch ms). Visits all
   * subscriptions.
   */
  isAnyAt(endpoint: string, at = Number.POSITIVE_INFINITY): boolean {
    return this.#table.isAnyAt(endpoint, at)
  }

  #knownOf(id: string, state: ReadState): KnownSubscription | undefined {
    if (state === 'replaced') return undefined
    // A log that lost its end may have another subscription's state there now.
    if (state === 'unreadable' || state.id !== id) return unreadable
    return new Subscription(state, this.#options.opener)
  }

  #set(id: string, known: KnownSubscription | undefined, offset: number): void {
    const before = this.#table.find(id)?.endpointId ?? null
    const isReadable = known !== undefined && known.url !== null
    const endpointId = isReadable ? known.endpointId : null
    const createdAt = isReadable ? known.createdAt : Number.POSITIVE_INFINITY
    if (known === undefined) this.#table.delete(id)
    else
      this.#table.set(id, { offset, endpointId, createdAt, ordered: isReadable && known.ordered })
    if (known === undefined) this.#newest.delete(id)
    else this.#newest.set(id, known)
    for (const partition of this.#partitions) partition.changed(id, known)
    this.#onChange(id, known !== unreadable && endpointId !== before ? before : null)
  }
}
