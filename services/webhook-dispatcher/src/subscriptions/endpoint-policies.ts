import type { DeliveryPolicy } from '@surehook/contracts/events'
import type { EndpointPolicy } from '../endpoint/endpoint.ts'

type Limits = {
  readonly bySubscription: Map<string, EndpointPolicy>
  /** null: a subscription has changed since it was asked for. */
  strictest: EndpointPolicy | null
}

/** The limits that subscriptions set for their endpoints. */
export class EndpointPolicies {
  readonly #byEndpoint = new Map<string, Limits>()
  readonly #endpointOf = new Map<string, string>()

  /**
   * Returns the strictest limits of the endpoint's subscriptions, inactive ones included. undefined
   * if none has a limit. Each delivery asks several times, so only a change visits them all.
   */
  of(endpointId: string): EndpointPolicy | undefined {
    const limits = this.#byEndpoint.get(endpointId)
    if (limits === undefined) return undefined
    limits.strictest ??= strictestOf(limits.bySubscription.values())
    return limits.strictest
  }

  set(subscriptionId: string, endpointId: string, policy: DeliveryPolicy | null): void {
    this.delete(subscriptionId)
    const { concurrency = null, perSecond = null } = policy ?? {}
    if (concurrency === null && perSecond === null) return
    this.#endpointOf.set(subscriptionId, endpointId)
    const bySubscription = this.#byEndpoint.get(endpointId)?.bySubscription ?? new Map()
    bySubscription.set(subscriptionId, { concurrency, perSecond })
    this.#byEndpoint.set(endpointId, { bySubscription, strictest: null })
  }

  delete(subscriptionId: string): void {
    const endpointId = this.#endpointOf.get(subscriptionId)
    const limits = endpointId === undefined ? undefined : this.#byEndpoint.get(endpointId)
    if (endpointId === undefined || limits === undefined) return
    this.#endpointOf.delete(subscriptionId)
    limits.bySubscription.delete(subscriptionId)
    limits.strictest = null
    if (limits.bySubscription.size === 0) this.#byEndpoint.delete(endpointId)
  }
}

function strictestOf(policies: Iterable<EndpointPolicy>): EndpointPolicy {
  const strictest: EndpointPolicy = { concurrency: null, perSecond: null }
  for (const { concurrency, perSecond } of policies) {
    strictest.concurrency = least(strictest.concurrency, concurrency)
    strictest.perSecond = least(strictest.perSecond, perSecond)
  }
  return strictest
}

function least(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b
  return Math.min(a, b)
}
