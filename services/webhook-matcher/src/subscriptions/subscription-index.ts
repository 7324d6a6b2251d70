import { UndecodableError } from '@surehook/contracts/codec'
import type { SubscriptionState } from '@surehook/contracts/events'
import type { Change } from '../changes/read-change.ts'
import { Candidates } from './candidates.ts'
import { operationBit, placeOf, type Subscription, toSubscription } from './subscription.ts'

/** The active subscriptions, found by what they watch. */
export class SubscriptionIndex {
  readonly #byId = new Map<string, Subscription>()
  /** By place, then by the set of events: each subscription stands in one place only. */
  readonly #byPlace = new Map<string, Map<number, Candidates>>()

  get size(): number {
    return this.#byId.size
  }

  /**
   * Takes the newest state of a subscription; `null` ends it. Throws an `UndecodableError`, and
   * changes nothing, when the state has no meaning.
   */
  apply(id: string, state: SubscriptionState | null): void {
    if (state !== null && state.id !== id)
      throw new UndecodableError(`id: ${state.id} at key ${id}`)
    const next = state?.active === true ? toSubscription(state) : null
    const before = this.#byId.get(id)
    if (before !== undefined) this.#remove(before)
    if (next === null) this.#byId.delete(id)
    else this.#add(id, next)
  }

  /** The subscriptions that get a delivery of the change. */
  match({ event, record }: Change): Subscription[] {
    const matched: Subscription[] = []
    const byEvents = this.#byPlace.get(placeOf(event))
    if (byEvents === undefined) return matched
    const bit = operationBit(event.operation)
    for (const [events, candidates] of byEvents) {
      if ((events & bit) === 0) continue
      candidates.each(record, (subscription) => {
        const { matches } = subscription
        if (matches === null || matches(record, event.changedFields)) matched.push(subscription)
      })
    }
    return matched
  }

  #add(id: string, subscription: Subscription): void {
    const { place, operations } = subscription
    const byEvents = this.#byPlace.get(place) ?? new Map<number, Candidates>()
    this.#byPlace.set(place, byEvents)
    const candidates = byEvents.get(operations) ?? new Candidates()
    byEvents.set(operations, candidates)
    candidates.add(subscription)
    this.#byId.set(id, subscription)
  }

  #remove(subscription: Subscription): void {
    const { place, operations } = subscription
    const byEvents = this.#byPlace.get(place)
    const isLeft = byEvents?.get(operations)?.remove(subscription) ?? true
    if (isLeft) return
    byEvents?.delete(operations)
    if (byEvents?.size === 0) this.#byPlace.delete(place)
  }
}
