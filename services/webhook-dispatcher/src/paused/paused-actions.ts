import type { DeliveryJob } from '@surehook/contracts/events'
import type { Delivery } from '../partition/delivery.ts'

/** What paused deliveries wait for, as of now. */
export type PausedView = {
  /** How many deliveries of the subscription may start now; negative while it is blocked as a whole. */
  slotsOf: (subscriptionId: string) => number
  /** The endpoint it waits for when nothing may start; null when it waits for its own next state. */
  endpointOf: (subscriptionId: string) => string | null
  /** Whether its deliveries have the status `paused`. */
  isPaused: (subscriptionId: string) => boolean
  /** Whether all earlier deliveries of its subscription are known and decided. */
  isNext: (job: DeliveryJob) => boolean
  /** False when the subscription is blocked and only its cancelled deliveries go: `slotsOf` tells that from then on. */
  mayGo: (delivery: Delivery) => boolean
}

/** What is to be done now; carried out by the partition's worker. */
export type PausedAction =
  /** Its turn has come. */
  | { kind: 'release'; delivery: Delivery }
  /** Another copy of it goes on: this one is worth nothing. */
  | { kind: 'give-up'; delivery: Delivery }
  /** It has to leave its place, so that what is finished around it can be committed. */
  | { kind: 'relocate'; delivery: Delivery; published: boolean }
  /** It only waited for a slot, and is `paused` now. */
  | { kind: 'publish'; job: DeliveryJob }
  | { kind: 'read'; from: number }
