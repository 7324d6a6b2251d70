import { pausedTopic } from '@surehook/contracts/topics'
import type { Delivery } from '../../delivery/delivery.ts'
import { pausedMark } from '../../delivery/paused-headers.ts'
import { groupOf, queueIdOf } from '../../delivery/record-groups.ts'
import type { Subscription, UnreadableSubscription } from '../../subscriptions/subscriptions.ts'

/**
 * The order of deliveries per record. One delivery of a group of records is started at a time:
 * until Kafka has its outcome, the later ones wait on the paused topic.
 */
export class RecordOrder {
  /** By queue, the delivery that has started and not ended. */
  readonly #started = new Map<string, Delivery>()
  readonly #queueOf = new Map<Delivery, string>()

  /** Returns whether another delivery of the group has started. */
  isBusy(queueId: string, except?: Delivery): boolean {
    const started = this.#started.get(queueId)
    return started !== undefined && started !== except
  }

  start(delivery: Delivery, group: number | null): void {
    if (group === null) return
    const queueId = queueIdOf(delivery.job.subscriptionId, group)
    // A cancelled delivery does not wait for its turn.
    if (this.isBusy(queueId, delivery)) return
    this.#started.set(queueId, delivery)
    this.#queueOf.set(delivery, queueId)
  }

  /** @returns the queue whose next delivery may start now */
  end(delivery: Delivery): string | undefined {
    const queueId = this.#queueOf.get(delivery)
    if (queueId === undefined) return undefined
    this.#queueOf.delete(delivery)
    this.#started.delete(queueId)
    return queueId
  }
}

/** Returns the group in whose order the delivery waits; null for none. */
export function waitsInGroup(
  { job, message }: Delivery,
  subscription: Subscription | UnreadableSubscription | undefined,
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
