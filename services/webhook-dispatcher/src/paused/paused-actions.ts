import type { DeliveryJob } from '@surehook/contracts/events'
import type { Delivery } from '../delivery/delivery.ts'

/** The present state of everything that paused deliveries wait for. */
export type PausedView = {
  /**
   * How many deliveries of the subscription may start now; negative if the subscription is blocked
   * as a whole.
   */
  slotsOf: (subscriptionId: string, queueId?: string) => number
  /**
   * Returns the endpoint that the queue waits for if nothing may start. `null`: the queue waits for
   * the next state of its subscription, or its next delivery is cancelled and waits for a free
   * transition.
   */
  endpointOf: (subscriptionId: string, queueId: string) => string | null
  /** True if its deliveries have the status `paused`. */
  isPaused: (subscriptionId: string) => boolean
  /** True if all earlier deliveries of the job's subscription are known and decided. */
  isNext: (job: DeliveryJob) => boolean
  /** True if another delivery of the same record has started and not ended. */
  isBusy: (delivery: Delivery) => boolean
  /** When a delivery that waits in the order of its record may start, in epoch ms. 0: at once. */
  dueAt: (delivery: Delivery) => number
  /**
   * Returns false for a delivery that is not cancelled while its subscription is blocked. From then
   * on `slotsOf` returns a negative number for the queue.
   */
  mayGo: (delivery: Delivery, queueId: string) => boolean
  /** Returns true once when half of the transitions are free, after none was. */
  transitionsFreeAgain: () => boolean
}

/** An action that the partition's worker carries out. */
export type PausedAction =
  /** The delivery's turn has come. */
  | { kind: 'release'; delivery: Delivery }
  /** Another copy of the delivery continues, so this one is dropped. */
  | { kind: 'give-up'; delivery: Delivery }
  /** The delivery has to move, so that the finished ones around it can be committed. */
  | { kind: 'relocate'; delivery: Delivery; published: boolean }
  /** The delivery waited for a slot, and its status now becomes `paused`. */
  | { kind: 'publish'; job: DeliveryJob }
  | { kind: 'read'; from: number }
