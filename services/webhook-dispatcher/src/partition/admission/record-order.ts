import { pausedTopic } from '@surehook/contracts/topics'
import type { Delivery } from '../../delivery/delivery.ts'
import { pausedMark } from '../../delivery/paused-headers.ts'
import { groupOf, recordQueueIdOf } from '../../delivery/record-groups.ts'
import type { KnownSubscription, Subscription } from '../../subscriptions/subscription.ts'

/**
 * The order of deliveries per record. One delivery of a record is started at a time: until Kafka has
 * its outcome, the later ones wait on the paused topic.
 */
export class RecordOrder {
  /** By record, the delivery that has started and not ended. */
  readonly #started = new Map<string, Delivery>()
  readonly #groupOf = new Map<Delivery, number>()

  /** Returns whether another delivery of its record has started. */
  isBusy(delivery: Delivery, group: number | null): boolean {
    if (group === null) return false
    const started = this.#started.get(recordQueueIdOf(delivery.job, group))
    return started !== undefined && started !== delivery
  }

  start(delivery: Delivery, group: number | null): void {
    // A cancelled delivery does not wait for its turn.
    if (group === null || this.isBusy(delivery, group)) return
    this.#started.set(recordQueueIdOf(delivery.job, group), delivery)
    this.#groupOf.set(delivery, group)
  }

  /** @returns the group of the record whose next delivery may start now */
  end(delivery: Delivery): number | undefined {
    const group = this.#groupOf.get(delivery)
    if (group === undefined) return undefined
    this.#groupOf.delete(delivery)
    this.#started.delete(recordQueueIdOf(delivery.job, group))
    return group
  }
}

/** Returns the group in whose order the delivery waits; null for none. */
export function waitsInGroup(
  { job, message }: Delivery,
  subscription: KnownSubscription | undefined,
): number | null {
  // A delivery on the paused topic already has its queue.
  if (message.topic === pausedTopic) return pausedMark(message).group
  return subscription === undefined || subscription.url === null
    ? null
    : orderGroup(job, subscription)
}

/** Returns the group of a job whose subscription is ordered; null for none. */
export const orderGroup = (
  { recordId }: Pick<Delivery['job'], 'recordId'>,
  { ordered }: Pick<Subscription, 'ordered'>,
): number | null => (ordered && recordId !== null ? groupOf(recordId) : null)
