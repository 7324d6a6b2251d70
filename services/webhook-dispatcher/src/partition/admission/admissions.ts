import { deliveriesTopic, pausedTopic } from '@surehook/contracts/topics'
import type { Delivery } from '../../delivery/delivery.ts'
import type { Endpoints } from '../../endpoint/endpoints.ts'
import type { PausedDeliveries } from '../../paused/paused-deliveries.ts'
import type { PartitionSubscriptions } from '../../subscriptions/partition-subscriptions.ts'
import { type KnownSubscription, unloaded } from '../../subscriptions/subscription.ts'
import { retryDueAt } from '../../transitions/retry-ladder.ts'
import type { PartitionState } from '../partition-state.ts'
import { type Admission, decideAdmission } from './admission.ts'
import { type RecordOrder, waitsInGroup } from './record-order.ts'
import type { SubscriptionStatus } from './subscription-status.ts'
import type { WaitingDeliveries } from './waiting-deliveries.ts'

export type AdmissionsOptions = {
  subscriptions: Pick<PartitionSubscriptions, 'get'>
  endpoints: Endpoints<Delivery>
  status: SubscriptionStatus
  state: PartitionState
  order: RecordOrder
  waiting: WaitingDeliveries
  paused: PausedDeliveries
}

/** @property group the group of records whose order the delivery keeps; null for none */
export type AdmissionDecision = { admission: Admission; group: number | null }

/** A delivery to decide again. */
export type UndecidedDelivery = { delivery: Delivery; viewIsCurrent: boolean }

/** Decides the deliveries of one partition whose turn has come. */
export class Admissions {
  readonly #options: AdmissionsOptions
  /** Subscriptions that are certainly deleted. */
  readonly #deleted = new Set<string>()

  constructor(options: AdmissionsOptions) {
    this.#options = options
  }

  /**
   * Returns the decision, or null if the delivery waits here for a decision. Unless it is `pause`
   * or `look-again`, no other delivery of its record may start from now on.
   */
  decide(delivery: Delivery, viewIsCurrent: boolean): AdmissionDecision | null {
    const { subscriptions, order, waiting } = this.#options
    const { subscriptionId } = delivery.job
    if (!this.#mayDecide) waiting.hold(delivery)
    else if (waiting.hasUndecided(subscriptionId)) waiting.addUndecided(delivery)
    else {
      const subscription = subscriptions.get(subscriptionId)
      const group = waitsInGroup(delivery, subscription)
      const admission = this.#admissionOf(delivery, { subscription, group, viewIsCurrent })
      if (admission.kind === 'look-again') waiting.addUndecided(delivery)
      else if (admission.kind !== 'pause') order.start(delivery, group)
      return { admission, group }
    }
    return null
  }

  /** Removes and returns the deliveries that could not be decided before. */
  takeHeld(): Delivery[] {
    return this.#mayDecide ? this.#options.waiting.takeHeld() : []
  }

  countUndecided(subscriptionId: string): number {
    return this.#options.waiting.countUndecided(subscriptionId)
  }

  /**
   * Removes and returns the undecided deliveries of the subscription, in order.
   * @param count the first deliveries, for which the view of subscriptions is known to be current
   */
  takeUndecided(subscriptionId: string, count: number): UndecidedDelivery[] {
    const { subscriptions, waiting } = this.#options
    if (count > 0 && subscriptions.get(subscriptionId) === undefined)
      this.#deleted.add(subscriptionId)
    const deliveries = waiting.takeUndecided(subscriptionId)
    return deliveries.map((delivery, nth) => ({ delivery, viewIsCurrent: nth < count }))
  }

  /** True if the subscription is certainly deleted. */
  isDeleted(subscriptionId: string): boolean {
    return this.#deleted.has(subscriptionId)
  }

  subscriptionChanged(subscriptionId: string): void {
    this.#deleted.delete(subscriptionId)
  }

  get #mayDecide(): boolean {
    return !this.#options.state.isDraining && this.#options.paused.isReady
  }

  #admissionOf(
    delivery: Delivery,
    {
      subscription,
      group,
      viewIsCurrent,
    }: {
      subscription: KnownSubscription | undefined
      group: number | null
      viewIsCurrent: boolean
    },
  ): Admission {
    if (subscription === unloaded) return { kind: 'look-again' }
    const { endpoints, status, state } = this.#options
    const isPaused = delivery.message.topic === pausedTopic
    const hasEarlier = !isPaused && this.#hasEarlier(delivery, group)
    const admission = decideAdmission(delivery.job, {
      subscription,
      viewIsCurrent,
      wasCancelled: (known) => status.isCancelled(known, delivery),
      endpoint: (endpointId) => {
        const { projectId, subscriptionId } = delivery.job
        const at = endpoints.of({ endpointId, projectId })
        const circuitIsOpen = at.circuits.isOpenFor(subscriptionId)
        return { circuitIsOpen, accepts: isPaused || at.accepts(subscriptionId) }
      },
      isRerouted: (endpointId) => state.isRerouted(endpointId),
      mayHavePaused: hasEarlier,
      waitsForRecord: group !== null && hasEarlier,
      now: Date.now(),
    })
    // A retry that waits in the order of its record waits on the paused topic.
    const staysPaused = admission.kind === 'wait' && isPaused && group !== null
    const isTurn = admission.kind === 'start' || admission.kind === 'wait'
    const isEarly = isTurn && group !== null && isNotDue(delivery)
    return staysPaused || isEarly ? { kind: 'pause', published: false } : admission
  }

  /** True if earlier deliveries come first. A released delivery comes before the paused ones. */
  #hasEarlier(delivery: Delivery, group: number | null): boolean {
    const { order, paused } = this.#options
    return order.isBusy(delivery, group) || paused.mayHave(delivery.job, group)
  }
}

/** True for a retry that waited in another partition, and goes on waiting here. */
const isNotDue = ({ job, message }: Delivery): boolean =>
  message.topic === deliveriesTopic && retryDueAt(job, Date.now()) > Date.now()
