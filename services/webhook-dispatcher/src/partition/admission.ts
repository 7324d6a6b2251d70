import type { DeliveryJob, DeliveryStatus } from '@surehook/contracts/events'
import { pausedTopic } from '@surehook/contracts/topics'
import { pausedMark } from '../paused/paused-headers.ts'
import type { Subscription, UnreadableSubscription } from '../subscriptions/subscriptions.ts'
import type { Delivery } from './delivery.ts'

/** What is to become of a job whose turn has come. */
export type Admission =
  | { kind: 'start'; endpointId: string }
  /** `published`: its status becomes `paused`. Otherwise it only waits for a slot. */
  | { kind: 'pause'; published: boolean }
  | { kind: 'reroute'; url: string }
  | { kind: 'cancel' }
  /** The view of subscriptions may be behind the matcher's: it has to be brought up to the topic's end. */
  | { kind: 'look-again' }

/** What the decision depends on. */
export type AdmissionFacts = {
  subscription: Subscription | UnreadableSubscription | undefined
  /** Whether the view of subscriptions is as of now. */
  viewIsCurrent: boolean
  /** Whether the delivery was cancelled by request. */
  wasCancelled: (subscription: Subscription) => boolean
  /** State of the subscription's endpoint. */
  endpoint: (endpointId: string) => { circuitIsOpen: boolean; accepts: boolean }
  /** Whether earlier deliveries of the subscription may be paused. */
  mayHavePaused: boolean
}

/**
 * URL, secrets and `active` are those of this moment, so a corrected URL releases what was stuck at the
 * old one. Filter and selection are those of the match: the body is final.
 */
export function decideAdmission(
  { url }: Pick<DeliveryJob, 'url'>,
  { subscription, viewIsCurrent, wasCancelled, endpoint, mayHavePaused }: AdmissionFacts,
): Admission {
  if (subscription === undefined) return { kind: viewIsCurrent ? 'cancel' : 'look-again' }
  if (subscription.url === null) return { kind: 'pause', published: true }
  if (wasCancelled(subscription)) return { kind: 'cancel' }
  if (subscription.url !== url) return { kind: 'reroute', url: subscription.url }
  const { endpointId } = subscription
  const { circuitIsOpen, accepts } = endpoint(endpointId)
  const isBlocked = !subscription.deliverable || circuitIsOpen
  if (isBlocked || mayHavePaused || !accepts) return { kind: 'pause', published: isBlocked }
  return { kind: 'start', endpointId }
}

/**
 * Whether a delivery was cancelled by request: it had the status when that was asked. Its record tells since when, by
 * the broker's clock.
 * @param isBlocked whether what waits for the subscription's endpoint is `paused`
 */
export function isCancelled(
  { cancellations }: Pick<Subscription, 'cancellations'>,
  delivery: Delivery,
  isBlocked: () => boolean,
): boolean {
  if (cancellations.length === 0) return false
  const status = statusOf(delivery, isBlocked)
  const since = Number(delivery.message.timestamp)
  const { createdAt } = delivery.job
  return cancellations.some(
    (one) => one.status === status && createdAt <= one.until && since <= one.askedAt,
  )
}

/** As the history has it. On the paused topic a delivery may also wait for a slot alone. */
function statusOf({ job, message }: Delivery, isBlocked: () => boolean): DeliveryStatus {
  if (message.topic === pausedTopic && (pausedMark(message).published || isBlocked())) {
    return 'paused'
  }
  return job.attempt > 1 ? 'retrying' : 'pending'
}
