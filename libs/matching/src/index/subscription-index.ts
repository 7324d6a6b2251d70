import type { SubscriptionState } from '@surehook/contracts/events'
import { changesKeptMs } from '@surehook/contracts/topics'
import { isBefore } from '@surehook/contracts/wal-position'
import { UndecodableError } from '@surehook/schemas/codec'
import type { Change } from '../read-change.ts'
import {
  isAlike,
  isInForce,
  operationBit,
  placeOf,
  type Subscription,
  toSubscription,
} from '../subscription.ts'
import { Candidates } from './candidates.ts'
import { ReplacedVersions } from './replaced-versions.ts'

/**
 * Retention of replaced versions (that of `changes`), and their largest number per subscription.
 */
export const keptVersions = { forMs: changesKeptMs, perSubscription: 20 } as const
const keptInAll = 50_000

/** Newest known state of a subscription. `version` is `null` while it is inactive. */
type Newest = { version: Subscription | null; walPosition: string | null }

/**
 * True if the next state changes nothing that matching depends on, such as one with another
 * delivery policy. The present version then also covers the time of the next one. A version of its
 * own would displace an older one that differs.
 */
function isContinued(known: Newest, next: Newest): boolean {
  if (known.version === null || next.version === null || next.walPosition === null) return false
  // Positions of two clusters have no order, so no version covers both.
  const isOrdered =
    known.walPosition === null || isBefore(known.walPosition, next.walPosition) === true
  return isOrdered && isAlike(known.version, next.version)
}

function refuseForeignKey(id: string, state: SubscriptionState | null): void {
  if (state === null || state.id === id) return
  throw new UndecodableError(`id: ${state.id} at key ${id}`)
}

/**
 * The active subscriptions, indexed by what they watch. It also keeps replaced versions, for
 * changes that were committed before the replacement.
 */
export class SubscriptionIndex {
  readonly #newest = new Map<string, Newest>()
  readonly #replaced: ReplacedVersions
  /** By place, then by set of events. Each version is in exactly one bucket. */
  readonly #byPlace = new Map<string, Map<number, Candidates>>()
  #size = 0

  /**
   * @param now monotonic clock in milliseconds: a jump by days would drop versions that still apply
   * @param kept most replaced versions, per subscription and in total
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
        // Prefers one delivery too many to one too few.
        const next = successor ?? this.#newest.get(version.id)?.version
        if (next) next.from = null
      },
    })
  }

  /** Number of active subscriptions. */
  get size(): number {
    return this.#size
  }

  /** Number of replaced versions that are kept for earlier changes. */
  get replaced(): number {
    return this.#replaced.size
  }

  /**
   * Applies the newest state of a subscription, committed at `walPosition`. `null` deletes it. The
   * caller must leave out states older than the newest one, which may come twice. Throws an
   * `UndecodableError` and changes nothing when the state is not valid.
   */
  apply(id: string, state: SubscriptionState | null, walPosition: string | null = null): void {
    refuseForeignKey(id, state)
    const known = this.#newest.get(id)
    // A repeated state has its first position. A tombstone may share the commit of a state.
    if (state !== null && walPosition !== null && walPosition === known?.walPosition) return
    const version = this.#versionOf(state, walPosition)
    if (known !== undefined && isContinued(known, { version, walPosition })) {
      known.walPosition = walPosition
      return
    }
    if (known?.version) this.#replace(known.version, walPosition)
    this.#setNewest(id, state === null ? null : { version, walPosition })
  }

  #setNewest(id: string, newest: Newest | null): void {
    if (newest === null) this.#newest.delete(id)
    else this.#newest.set(id, newest)
    if (newest?.version) this.#begin(newest.version)
  }

  /**
   * Returns the subscriptions that get a delivery of the change: those that applied when it was
   * committed.
   */
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

  /** A first state that is not new had predecessors that compaction removed from the topic. */
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
