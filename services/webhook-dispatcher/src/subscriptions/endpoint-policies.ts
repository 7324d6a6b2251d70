import type { DeliveryPolicy } from '@surehook/contracts/events'
import type { EndpointPolicy } from '../endpoint/endpoint.ts'

/** The limits that subscriptions set for their endpoints. */
export class EndpointPolicies {
  readonly #byEndpoint = new Map<string, Map<string, EndpointPolicy>>()
  readonly #endpointOf = new Map<string, string>()

  /**
   * Returns the strictest limits of the endpoint's subscriptions, inactive ones included. undefined
   * if none has a limit.
   */
  of(endpointId: string): EndpointPolicy | undefined {
    const all = this.#byEndpoint.get(endpointId)
    if (all === undefined) return undefined
    const strictest: EndpointPolicy = { concurrency: null, perSecond: null }
    for (const { concurrency, perSecond } of all.values()) {
      strictest.concurrency = least(strictest.concurrency, concurrency)
      strictest.perSecond = least(strictest.perSecond, perSecond)
    }
    return strictest
  }

  set(subscriptionId: string, endpointId: string, policy: DeliveryPolicy | null): void {
    this.delete(subscriptionId)
    const { concurrency = null, perSecond = null } = policy ?? {}
    if (concurrency === null && perSecond === null) return
    this.#endpointOf.set(subscriptionId, endpointId)
    const all = this.#byEndpoint.get(endpointId) ?? new Map<string, EndpointPolicy>()
    this.#byEndpoint.set(endpointId, all.set(subscriptionId, { concurrency, perSecond }))
  }

  delete(subscriptionId: string): void {
    const endpointId = this.#endpointOf.get(subscriptionId)
    if (endpointId === undefined) return
    this.#endpointOf.delete(subscriptionId)
    const all = this.#byEndpoint.get(endpointId)
    all?.delete(subscriptionId)
    if (all?.size === 0) this.#byEndpoint.delete(endpointId)
  }
}

function least(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b
  return Math.min(a, b)
}
