import type { DeliveryJob } from '@surehook/contracts/events'
import type { Subscription, UnreadableSubscription } from '../subscriptions/subscriptions.ts'
import { waitLeftMs } from '../transitions/retry-after.ts'

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
   * The view of subscriptions may be behind the matcher's, so it has to read up to the topic's end
   * first.
   */
  | { kind: 'look-again' }

/** The facts that the decision depends on. */
export type AdmissionFacts = {
  subscription: Subscription | UnreadableSubscription | undefined
  /** True if the view of subscriptions is current. */
  viewIsCurrent: boolean
  /** The state of the subscription's endpoint. */
  endpoint: (endpointId: string) => { circuitIsOpen: boolean; accepts: boolean }
  /** True if earlier deliveries of the subscription may be paused. */
  mayHavePaused: boolean
  /** Epoch ms. */
  now: number
}

/**
 * Decides by the present URL, secrets and `active`, so a corrected URL releases deliveries that
 * were stuck at the old one. Filter and selection are those of the match, because the body is
 * final.
 */
export function decideAdmission(
  { url, notBefore }: Pick<DeliveryJob, 'url' | 'notBefore'>,
  { subscription, viewIsCurrent, endpoint, mayHavePaused, now }: AdmissionFacts,
): Admission {
  if (subscription === undefined) return { kind: viewIsCurrent ? 'cancel' : 'look-again' }
  if (subscription.url === null) return { kind: 'pause', published: true }
  if (subscription.url !== url) return { kind: 'reroute', url: subscription.url }
  const { endpointId } = subscription
  const { circuitIsOpen, accepts } = endpoint(endpointId)
  const isBlocked = !subscription.deliverable || circuitIsOpen
  if (isBlocked || mayHavePaused || !accepts) return { kind: 'pause', published: isBlocked }
  return waitLeftMs(notBefore, now) > 0 ? { kind: 'wait' } : { kind: 'start', endpointId }
}
