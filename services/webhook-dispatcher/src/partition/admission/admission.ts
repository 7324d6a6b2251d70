import type { DeliveryJob, DeliveryStatus } from '@surehook/contracts/events'
import { pausedTopic } from '@surehook/contracts/topics'
import type { Delivery } from '../../delivery/delivery.ts'
import { pausedMark } from '../../delivery/paused-headers.ts'
import type { KnownSubscription, Subscription } from '../../subscriptions/subscription.ts'
import { waitLeftMs } from '../../transitions/retry-after.ts'

/** The decision on a job whose turn has come. */
export type Admission =
  | { kind: 'start'; endpointId: string }
  /** `published`: its status becomes `paused`. Otherwise it only waits for a slot. */
  | { kind: 'pause'; published: boolean }
  /** The time that its receiver asked for has not come. */
  | { kind: 'wait' }
  | { kind: 'reroute'; url: string }
  | { kind: 'cancel' }
  /**
   * The subscription is unknown: the view of subscriptions may be behind the matcher's, so it first
   * reads up to the end of its topic. Or its state is not loaded.
   */
  | { kind: 'look-again' }

/** The facts that the decision depends on. */
export type AdmissionFacts = {
  subscription: KnownSubscription | undefined
  /** True if the view of subscriptions is current. */
  viewIsCurrent: boolean
  /** Whether the delivery was cancelled by request. */
  wasCancelled: (subscription: Subscription) => boolean
  /** State of the subscription's endpoint. */
  endpoint: (endpointId: string) => { circuitIsOpen: boolean; accepts: boolean }
  /** True if earlier deliveries of the subscription may be paused. */
  mayHavePaused: boolean
  /** True if the deliveries of the endpoint belong to another partition. */
  isRerouted: (endpointId: string) => boolean
  /** True if the delivery has to wait for one of them, because both are of one record. */
  waitsForRecord: boolean
  /** Epoch ms. */
  now: number
}

/**
 * Decides by the current URL, secrets and `active`, so a corrected URL also applies to deliveries
 * that wait for the old one. Filter and selection do not apply again, because the body is final.
 */
export function decideAdmission(
  job: Pick<DeliveryJob, 'url' | 'notBefore' | 'waitMs'>,
  facts: AdmissionFacts,
): Admission {
  const { subscription, viewIsCurrent, wasCancelled, endpoint, now } = facts
  if (subscription === undefined) return { kind: viewIsCurrent ? 'cancel' : 'look-again' }
  if (subscription.url === null) return { kind: 'pause', published: true }
  if (wasCancelled(subscription)) return { kind: 'cancel' }
  if (mustReroute(job, subscription, facts)) return { kind: 'reroute', url: subscription.url }
  const { endpointId } = subscription
  const { circuitIsOpen, accepts } = endpoint(endpointId)
  const isBlocked = !subscription.deliverable || circuitIsOpen
  if (isBlocked || facts.mayHavePaused || !accepts) return { kind: 'pause', published: isBlocked }
  return waitLeftMs(job, now) > 0 ? { kind: 'wait' } : { kind: 'start', endpointId }
}

/** Returns whether the delivery continues at another URL or in another partition. */
function mustReroute(
  { url }: Pick<DeliveryJob, 'url'>,
  subscription: Subscription,
  { isRerouted, mayHavePaused, waitsForRecord }: AdmissionFacts,
): boolean {
  if (subscription.url !== url) return !waitsForRecord
  return isRerouted(subscription.endpointId) && !mayHavePaused
}

/**
 * Returns whether a request cancelled the delivery: the delivery had the request's status when the
 * request was made.
 * @param blockedSince returns the epoch ms at which the subscription was blocked. Deliveries that
 * waited for a slot became `paused` then. Infinity: it is not blocked. Undefined: unknown. A later
 * time than the real one is safe: in between the history still showed the earlier status.
 */
export function isCancelled(
  { cancellations }: Pick<Subscription, 'cancellations'>,
  delivery: Delivery,
  blockedSince: () => number | undefined,
): boolean {
  const { createdAt } = delivery.job
  return cancellations.some(
    ({ status, until, askedAt }) =>
      createdAt <= until && statusAt(delivery, askedAt, blockedSince) === status,
  )
}

/**
 * Returns the status that the delivery had at a time. Undefined if that is unknown, as for a time
 * before the broker's timestamp of the record.
 */
function statusAt(
  { job, message }: Delivery,
  at: number,
  blockedSince: () => number | undefined,
): DeliveryStatus | undefined {
  if (at < Number(message.timestamp)) return undefined
  const otherwise = job.attempt > 1 ? 'retrying' : 'pending'
  if (message.topic !== pausedTopic) return otherwise
  if (pausedMark(message).published) return 'paused'
  const since = blockedSince()
  if (since === undefined) return undefined
  return at < since ? otherwise : 'paused'
}
