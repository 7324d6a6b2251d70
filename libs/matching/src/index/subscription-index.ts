import type { SubscriptionState } from '@surehook/contracts/events'
import { changesKeptMs } from '@surehook/contracts/topics'
import { UndecodableError } from '@surehook/schemas/codec'
import type { Change } from '../read-change.ts'
import {
  isInForce,
  operationBit,
  placeOf,
  type Subscription,
  toSubscription,
} from '../subscription.ts'
import { Candidates } from './candidates.ts'
import { ReplacedVersions } from './replaced-versions.ts'

/** Which replaced versions of a subscription are kept: for as long as a change from before may still come. */
export const keptVersions = { forMs: changesKeptMs, perSubscription: 20 } as const
const keptInAll = 50_000

/** What is known of a subscription; no version while it is not active. */
type Newest = { version: Subscription | null; walPosition: string | null }

/**
 * The active subscriptions, found by what they watch; and those that were active before, for changes
 * that were committed before they were replaced.
 */
export class SubscriptionIndex {
  readonly #newest = new Map<string, Newest>()
  readonly #replaced: ReplacedVersions
  /** By place, then by the set of events: each version stands in one place only. */
  readonly #byPlace = new Map<string, Map<number, Candidates>>()
  #size = 0

  /**
   * @param now of a clock that nobody sets: one that jumps ahead by days would forget versions in force
   * @param kept how many replaced versions are kept, of each subscription and in all
   */
  constructor(
    now: () => number = () => performance.now(),
    kept = { perSubscription: keptVersions.perSubscription as number, total: keptInAll },
  ) {
    this.#replaced = new ReplacedVersions({
      keepMs: keptVersions.forMs,
      ...kept,
      now,
      forget: (version, successor) => {
        this.#remove(version)
        // Rather one delivery too many than one too few.
        const next = successor ?? this.#newest.get(version.id)?.version
        if (next) next.from = null
      },
    })
  }

  /** Subscriptions that are active now. */
  get size(): number {
    return this.#size
  }

  /** Versions that were replaced and are kept for changes from before. */
  get replaced(): number {
    return this.#replaced.size
  }

  /**
   * Takes the newest state of a subscription, committed at `walPosition`; `null` ends it. Whoever calls
   * leaves out states from before the newest one; the newest one may come twice. Throws an `UndecodableError`, and
   * changes nothing, when the state has no meaning.
   */
  apply(id: string, state: SubscriptionState | null, walPosition: string | null = null): void {
    if (state !== null && state.id !== id)
      throw new UndecodableError(`id: ${state.id} at key ${id}`)
    const known = this.#newest.get(id)
    // A state that comes again has the position of the first time; a tombstone may share its commit.
    if (state !== null && walPosition !== null && walPosition === known?.walPosition) return
    const version = this.#versionOf(state, walPosition)
    if (known?.version) this.#replace(known.version, walPosition)
    if (state === null) this.#newest.delete(id)
    else this.#newest.set(id, { version, walPosition })
    if (version !== null) this.#begin(version)
  }

  /** The subscriptions that get a delivery of the change: those in force when it was committed. */
  match({ event, record, walPosition }: Change): Subscription[] {
    const matched: Subscription[] = []
    const byEvents = this.#byPlace.get(placeOf(event))
    if (byEvents === undefined) return matched
    const bit = operationBit(event.operation)
    for (const [events, candidates] of byEvents) {
      if ((events & bit) === 0) continue
      candidates.each(record, event.changedFields, (subscription) => {
        if (isInForce(subscription, walPosition)) matched.push(subscription)
      })
    }
    return matched
  }

  #versionOf(state: SubscriptionState | null, walPosition: string | null): Subscription | null {
    return state?.active === true ? toSubscription(state, this.#from(state, walPosition)) : null
  }

  /** A first state that is no new one had predecessors that the topic no longer has. */
  #from({ id, createdAt, updatedAt }: SubscriptionState, walPosition: string | null) {
    return this.#newest.has(id) || createdAt === updatedAt ? walPosition : null
  }

  #begin(version: Subscription): void {
    this.#add(version)
    this.#size++
  }

  #replace(version: Subscription, walPosition: string | null): void {
    this.#size--
    version.until = walPosition
    if (walPosition === null) this.#remove(version)
    else this.#replaced.add(version)
  }

  #add(subscription: Subscription): void {
    const { place, operations } = subscription
    const byEvents = this.#byPlace.get(place) ?? new Map<number, Candidates>()
    this.#byPlace.set(place, byEvents)
    const candidates = byEvents.get(operations) ?? new Candidates()
    byEvents.set(operations, candidates)
    candidates.add(subscription)
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
