import { setImmediate as turn } from 'node:timers/promises'
import type { Cancellation } from '@surehook/contracts/events'
import type { SubscriptionLimits } from '../../src/endpoint/subscription-queue.ts'
import { PartitionSubscriptions } from '../../src/subscriptions/partition-subscriptions.ts'
import { type Subscription, unloaded } from '../../src/subscriptions/subscription.ts'

const none: Cancellation[] = []

/** The facts about subscriptions, which a test changes. */
export type SubscriptionFacts = {
  deleted: ReadonlySet<string>
  ordered: ReadonlySet<string>
  /** By subscription: since when it is inactive. */
  inactive: ReadonlyMap<string, number>
  cancellations: ReadonlyMap<string, Cancellation[]>
  limits: SubscriptionLimits | undefined
}

/** The subscriptions of a partition, which follow the facts. */
export function openSubscriptions(
  facts: SubscriptionFacts,
  { loadsLate, onLoaded }: { loadsLate: boolean; onLoaded: (id: string) => void },
): PartitionSubscriptions {
  const found = (id: string) => (loadsLate ? unloaded : subscriptionOf(facts, id))
  return new PartitionSubscriptions({
    all: {
      get: (id) => (facts.deleted.has(id) ? undefined : found(id)),
      read: (id) => turn(subscriptionOf(facts, id)),
      entryOf: (id) =>
        facts.deleted.has(id)
          ? undefined
          : { offset: 0, endpointId: id, createdAt: 0, ordered: facts.ordered.has(id) },
      isAnyAt: (id) => !facts.deleted.has(id),
    },
    view: { barrier: async () => {} },
    onLoaded,
    onClose: () => {},
  })
}

const subscriptionOf = (facts: SubscriptionFacts, id: string) =>
  ({
    ...{ id, url: 'u', projectId: 'p', endpointId: id },
    get limits() {
      return facts.limits
    },
    get deliverable() {
      return !facts.inactive.has(id)
    },
    get ordered() {
      return facts.ordered.has(id)
    },
    get inactiveSince() {
      return facts.inactive.get(id) ?? Number.POSITIVE_INFINITY
    },
    get cancellations() {
      return facts.cancellations.get(id) ?? none
    },
  }) as unknown as Subscription
