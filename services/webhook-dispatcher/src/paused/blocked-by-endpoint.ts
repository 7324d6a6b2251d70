export type BlockedQueue = { queueId: string; subscriptionId: string }
type Subscriptions = Map<string, Set<string>>

/** The queues with paused deliveries that wait for a slot of an endpoint or for its circuit. */
export class BlockedByEndpoint {
  /** By endpoint and subscription, in the order of their turns. */
  readonly #queuesAt = new Map<string, Subscriptions>()
  readonly #placeOf = new Map<string, { endpointId: string; subscriptionId: string }>()

  /** Returns the subscriptions that wait there, each with its queues, in the order of their turns. */
  at(endpointId: string): Iterable<[subscriptionId: string, queueIds: Iterable<string>]> {
    return this.#queuesAt.get(endpointId) ?? []
  }

  /** Adds the queue. If it already waits there, it keeps its position. */
  enter({ queueId, subscriptionId }: BlockedQueue, endpointId: string): void {
    if (this.#placeOf.get(queueId)?.endpointId === endpointId) return
    this.leave(queueId)
    this.#placeOf.set(queueId, { endpointId, subscriptionId })
    const there: Subscriptions = this.#queuesAt.get(endpointId) ?? new Map()
    this.#queuesAt.set(endpointId, there)
    there.set(subscriptionId, (there.get(subscriptionId) ?? new Set()).add(queueId))
  }

  leave(queueId: string): void {
    const place = this.#placeOf.get(queueId)
    if (place === undefined) return
    const { endpointId, subscriptionId } = place
    this.#placeOf.delete(queueId)
    const there = this.#queuesAt.get(endpointId)
    const queues = there?.get(subscriptionId)
    queues?.delete(queueId)
    if (queues?.size === 0) there?.delete(subscriptionId)
    if (there?.size === 0) this.#queuesAt.delete(endpointId)
  }

  /** The subscription has no slot there: the others come first. */
  passTurn(subscriptionId: string, endpointId: string): void {
    const there = this.#queuesAt.get(endpointId)
    const queues = there?.get(subscriptionId)
    if (there === undefined || queues === undefined) return
    there.delete(subscriptionId)
    there.set(subscriptionId, queues)
  }
}
