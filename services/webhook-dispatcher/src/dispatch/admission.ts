import type { Endpoints } from '../endpoint/endpoints.ts'
import type { Subscriptions } from '../subscriptions/subscriptions.ts'
import type { Delivery } from './delivery.ts'

export type AdmissionOptions = {
  subscriptions: Subscriptions
  endpoints: Endpoints<Delivery>
  handingOver: () => boolean
}

/** Which parked subscriptions may go on. */
export class Admission {
  readonly #options: AdmissionOptions

  constructor(options: AdmissionOptions) {
    this.#options = options
  }

  /** How many jobs of the subscription may start now; negative while it is blocked as a whole. */
  of(subscriptionId: string): number {
    const { subscriptions, endpoints, handingOver } = this.#options
    if (handingOver()) return -1
    const subscription = subscriptions.get(subscriptionId)
    // Cancelled as soon as it is read: that takes no room at an endpoint.
    if (subscription === undefined) return 1
    if (subscription.url === null || !subscription.deliverable) return -1
    const endpoint = endpoints.of(subscription.endpointId)
    return endpoint.circuit.isOpen ? -1 : endpoint.room
  }

  /** Where it waits; null when it waits for its own next state. */
  endpointOf(subscriptionId: string): string | null {
    const subscription = this.#options.subscriptions.get(subscriptionId)
    if (subscription === undefined || subscription.url === null) return null
    return subscription.deliverable ? subscription.endpointId : null
  }

  /** Inactive, or behind an open circuit. */
  isPaused(subscriptionId: string): boolean {
    if (this.#options.handingOver()) return false
    return this.of(subscriptionId) < 0
  }
}
