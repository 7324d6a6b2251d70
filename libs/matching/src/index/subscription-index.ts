import type { SubscriptionState } from '@surehook/contracts/events'
import { changesKeptMs } from '@surehook/contracts/topics'
import { UndecodableError } from '@surehook/schemas/codec'
import type { Change } from '../read-change.ts'
import { isInForce, operationBit, placeOf, type Subscription } from '../subscription.ts'
import { filterEvaluation } from './candidates.ts'
import { PackedSubscriptions } from './packed-subscriptions.ts'
import { coverEarlier, versionsOf } from './subscription-versions.ts'
import { WatchedTables } from './watched-tables.ts'

/**
 * Retention of replaced versions (that of `changes`), and the largest number of versions per
 * subscription.
 */
export const keptVersions = { forMs: changesKeptMs, perSubscription: 20 } as const
const keptInAll = 50_000
/** About 0.6 kB each. */
const newestUnpacked = 10_000

/** NUL separates fields of places and of packed subscriptions. No URL has one. */
function refuseForeign(id: string, state: SubscriptionState | null): void {
  if (state === null) return
  if (state.id !== id) throw new UndecodableError(`id: ${state.id} at key ${id}`)
  if (`${id}${state.url}`.includes('\0')) throw new UndecodableError('id or url: has a NUL')
}

/**
 * The active subscriptions, packed, with an index by what they watch. It also keeps replaced
 * versions, for changes that were committed before the replacement.
 */
export class SubscriptionIndex {
  readonly #places = new WatchedTables()
  readonly #packed: PackedSubscriptions
  /** Replaced versions by `keyOf`, oldest first, with the time at which they were applied. */
  readonly #replaced = new Map<string, { id: string; until: string | null; at: number }>()
  readonly #now: () => number
  readonly #kept: { perSubscription: number; total: number }
  #size = 0

  /**
   * @param now monotonic clock in milliseconds: a jump by days would drop versions that still apply
   * @param kept most versions per subscription, and most replaced ones in total, so that a client
   * that updates a subscription repeatedly cannot exhaust memory
   * @param unpacked the least number of subscriptions that stay unpacked, so that matching is faster
   */
  constructor(
    now: () => number = () => performance.now(),
    kept = { perSubscription: keptVersions.perSubscription as number, total: keptInAll },
    unpacked = newestUnpacked,
  ) {
    this.#packed = new PackedSubscriptions(this.#places, unpacked)
    this.#now = now
    this.#kept = kept
  }

  /** Number of active subscriptions. */
  get size(): number {
    return this.#size
  }

  /** Number of replaced versions that are kept for earlier changes. */
  get replaced(): number {
    return this.#replaced.size
  }

  /** How often a subscription was unpacked, because it was not among those used last. */
  get unpacked(): number {
    return this.#packed.unpacked
  }

  /** Bytes of the packed subscriptions. They are outside the heap. */
  get packedBytes(): number {
    return this.#packed.bytes
  }

  /**
   * Applies the newest state of a subscription, committed at `walPosition`. `null` deletes it. The
   * caller must leave out states older than the newest one, which may come twice. Throws an
   * `UndecodableError` and changes nothing when the state is not valid.
   */
  apply(id: string, state: SubscriptionState | null, walPosition: string | null = null): void {
    refuseForeign(id, state)
    const known = this.#packed.get(id)
    const versions = this.#newestOf(versionsOf(state, walPosition, known))
    this.#replace(id, versions, { known, isDeleted: state === null })
    this.#forgetOld()
  }

  /**
   * Returns the subscriptions that get a delivery of the change: those that applied when it was
   * committed.
   */
  match({ event, record, walPosition }: Change): Subscription[] {
    const matched: Subscription[] = []
    const place = this.#places.find(placeOf(event))
    if (place === undefined) return matched
    const bit = operationBit(event.operation)
    const passes = filterEvaluation(record, event.changedFields)
    const isMatched = (version: Subscription) =>
      version.place === place.key &&
      (version.operations & bit) !== 0 &&
      isInForce(version, walPosition) &&
      passes(version.filter)
    const rows = new Set<number>()
    for (const [events, candidates] of place.byEvents) {
      if ((events & bit) !== 0) candidates.each(record, passes, (row) => rows.add(row))
    }
    for (const row of rows) {
      for (const version of this.#packed.at(row)) if (isMatched(version)) matched.push(version)
    }
    return matched
  }

  #newestOf(versions: readonly Subscription[]): readonly Subscription[] {
    const kept = versions.slice(-this.#kept.perSubscription)
    return kept.length < versions.length ? coverEarlier(kept) : kept
  }

  #forgetOld(): void {
    for (const [key, { id, until, at }] of this.#replaced) {
      const isYoung = this.#now() - at < keptVersions.forMs
      if (isYoung && this.#replaced.size <= this.#kept.total) return
      this.#replaced.delete(key)
      const known = this.#packed.get(id) ?? []
      const left = coverEarlier(known.filter((version) => version.until !== until))
      this.#replace(id, left, { known, isDeleted: true })
    }
  }

  /** @param isDeleted forget the subscription if no version is left */
  #replace(
    id: string,
    versions: readonly Subscription[],
    { known = [], isDeleted }: { known?: readonly Subscription[] | undefined; isDeleted: boolean },
  ): void {
    const isForgotten = versions.length === 0 && isDeleted
    const row = isForgotten ? this.#packed.find(id) : this.#packed.rowOf(id)
    const left = new Set(versions.map(keyOf))
    for (const version of known) this.#unindex(row, version, left)
    if (isForgotten) return this.#packed.delete(id)
    for (const version of versions) this.#index(row, version)
    this.#packed.set(row, id, versions)
  }

  #index(row: number, version: Subscription): void {
    const { id, until, filter, operations } = version
    this.#places.open(version.place).candidatesOf(operations).add(row, filter)
    const key = keyOf(version)
    if (until === null) this.#size++
    else if (!this.#replaced.has(key)) this.#replaced.set(key, { id, until, at: this.#now() })
  }

  #unindex(row: number, version: Subscription, left: ReadonlySet<string>): void {
    const { place, until, filter, operations } = version
    this.#places.find(place)?.candidatesOf(operations).remove(row, filter)
    this.#places.closeIfEmpty(place, operations)
    if (until === null) this.#size--
    else if (!left.has(keyOf(version))) this.#replaced.delete(keyOf(version))
  }
}

const keyOf = ({ id, until }: Subscription) => `${until}\0${id}`
