/** The queues with paused deliveries that wait for a slot of an endpoint or for its circuit. */
export class BlockedByEndpoint {
  readonly #subscriptionsAt = new Map<string, Set<string>>()
  readonly #endpointOf = new Map<string, string>()

  /** In order of arrival. */
  at(endpointId: string): Iterable<string> {
    return this.#subscriptionsAt.get(endpointId) ?? []
  }

  /** Adds the subscription. If it already waits there, it keeps its position. */
  enter(subscriptionId: string, endpointId: string): void {
    if (this.#endpointOf.get(subscriptionId) === endpointId) return
    this.leave(subscriptionId)
    this.#endpointOf.set(subscriptionId, endpointId)
    const there = this.#subscriptionsAt.get(endpointId)
    if (there) there.add(subscriptionId)
    else this.#subscriptionsAt.set(endpointId, new Set([subscriptionId]))
  }

  leave(subscriptionId: string): void {
    const endpointId = this.#endpointOf.get(subscriptionId)
    if (endpointId === undefined) return
    this.#endpointOf.delete(subscriptionId)
    const there = this.#subscriptionsAt.get(endpointId)
    there?.delete(subscriptionId)
    if (there?.size === 0) this.#subscriptionsAt.delete(endpointId)
  }
}
