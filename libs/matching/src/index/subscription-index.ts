import type { SubscriptionState } from '@surehook/contracts/events'
import { endpointId } from '@surehook/contracts/ids'
import { changesKeptMs } from '@surehook/contracts/topics'
import { UndecodableError } from '@surehook/schemas/codec'
import type { Change } from '../read-change.ts'
import {
  isContinued,
  isInForce,
  operationBit,
  placeOf,
  type Subscription,
  selectKeyOf,
  toSubscription,
} from '../subscription.ts'
import { Candidates } from './candidates.ts'

/**
 * Retention of replaced versions (that of `changes`), and the largest number of versions per
 * subscription.
 */
export const keptVersions = { forMs: changesKeptMs, perSubscription: 20 } as const
const keptInAll = 50_000

function refuseForeignKey(id: string, state: SubscriptionState | null): void {
  if (state === null || state.id === id) return
  throw new UndecodableError(`id: ${state.id} at key ${id}`)
}

/**
 * The active subscriptions, indexed by what they watch. It also keeps replaced versions, for
 * changes that were committed before the replacement.
 */
export class SubscriptionIndex {
  /** The active versions of each subscription, the oldest first. Only the last may be current. */
  readonly #known = new Map<string, readonly Subscription[]>()
  /** Replaced versions, oldest first, with the time at which they were applied. */
  readonly #replaced = new Map<Subscription, number>()
  /** By place, then by set of events. Each version is in exactly one bucket. */
  readonly #byPlace = new Map<string, Map<number, Candidates>>()
  readonly #now: () => number
  readonly #kept: { perSubscription: number; total: number }
  #size = 0

  /**
   * @param now monotonic clock in milliseconds: a jump by days would drop versions that still apply
   * @param kept most versions per subscription, and most replaced ones in total, so that a client
   * that updates a subscription repeatedly cannot exhaust memory
   */
  constructor(
    now: () => number = () => performance.now(),
    kept = { perSubscription: keptVersions.perSubscription as number, total: keptInAll },
  ) {
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

  /**
   * Applies the newest state of a subscription, committed at `walPosition`. `null` deletes it. The
   * caller must leave out states older than the newest one, which may come twice. Throws an
   * `UndecodableError` and changes nothing when the state is not valid.
   */
  apply(id: string, state: SubscriptionState | null, walPosition: string | null = null): void {
    refuseForeignKey(id, state)
    const known = this.#known.get(id)
    const versions =
      state !== null && state.versions.length > 0
        ? listedVersions(state, known)
        : continuedVersions(state, walPosition, known)
    const kept = this.#newestOf(versions)
    for (const version of known ?? []) if (!kept.includes(version)) this.#remove(version)
    for (const version of kept) if (!known?.includes(version)) this.#add(version)
    if (state === null && kept.length === 0) this.#known.delete(id)
    else this.#known.set(id, kept)
    this.#forgetOld()
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

  #newestOf(versions: readonly Subscription[]): readonly Subscription[] {
    const kept = versions.slice(-this.#kept.perSubscription)
    if (kept.length < versions.length) coverEarlier(kept)
    return kept
  }

  #forgetOld(): void {
    for (const [version, at] of this.#replaced) {
      const isYoung = this.#now() - at < keptVersions.forMs
      if (isYoung && this.#replaced.size <= this.#kept.total) return
      this.#remove(version)
      const left = (this.#known.get(version.id) ?? []).filter((other) => other !== version)
      coverEarlier(left)
      if (left.length === 0) this.#known.delete(version.id)
      else this.#known.set(version.id, left)
    }
  }

  #add(subscription: Subscription): void {
    const { place, operations, until } = subscription
    const byEvents = this.#byPlace.get(place) ?? new Map<number, Candidates>()
    this.#byPlace.set(place, byEvents)
    const candidates = byEvents.get(operations) ?? new Candidates()
    byEvents.set(operations, candidates)
    candidates.add(subscription)
    if (until === null) this.#size++
    else this.#replaced.set(subscription, this.#now())
  }

  #remove(subscription: Subscription): void {
    const { place, operations, until } = subscription
    if (until === null) this.#size--
    else this.#replaced.delete(subscription)
    const byEvents = this.#byPlace.get(place)
    const isLeft = byEvents?.get(operations)?.remove(subscription) ?? true
    if (isLeft) return
    byEvents?.delete(operations)
    if (byEvents?.size === 0) this.#byPlace.delete(place)
  }
}

/**
 * Lets the oldest kept version match the changes of dropped ones too: one delivery too many is better
 * than one too few.
 */
function coverEarlier([oldest]: readonly Subscription[]): void {
  if (oldest !== undefined) oldest.from = null
}

/**
 * The active versions that the state lists. All have the subscription's present URL, to which the
 * dispatcher sends every delivery.
 */
function listedVersions(
  state: SubscriptionState,
  known: readonly Subscription[] = [],
): readonly Subscription[] {
  const { url } = state
  const endpoint = endpointId(state)
  return boundedVersions(state).flatMap(({ version, from, until }) => {
    // What a version matches never changes, so its filter need not be compiled again.
    const same = from === null ? undefined : known.find((other) => other.from === from)
    const isSame = same !== undefined && same.selectKey === selectKeyOf(version.select)
    if (isSame && same.until === until && same.url === url) return [same]
    const made = isSame ? same : readable(state, { version, from, until })
    return made === null ? [] : [{ ...made, url, endpoint, until }]
  })
}

type BoundedVersion = {
  version: SubscriptionState['versions'][number]
  from: string | null
  until: string | null
}

/** The active versions, with the positions between which they apply. */
function boundedVersions({ versions, createdAt }: SubscriptionState): BoundedVersion[] {
  const [first] = versions
  // Versions before the first one were dropped, unless the subscription began with it.
  const followsDropped = first !== undefined && first.updatedAt !== createdAt
  const bounded = versions.map((version, n) => ({
    version,
    from: n === 0 && followsDropped ? null : version.walPosition,
    until: versions[n + 1]?.walPosition ?? null,
  }))
  const active = bounded.filter(({ version }) => version.active)
  const [earliest] = active
  if (!followsDropped || first.active || earliest === undefined) return active
  // A dropped version may have been active: one delivery too many is better than one too few.
  return [{ version: earliest.version, from: null, until: first.walPosition }, ...active]
}

/** Returns null for a replaced version that cannot be read. It must not hold back the present one. */
function readable(
  state: SubscriptionState,
  { version, from, until }: BoundedVersion,
): Subscription | null {
  try {
    return toSubscription({ ...state, ...version }, from)
  } catch (err) {
    if (until === null || !(err instanceof UndecodableError)) throw err
    return null
  }
}

/** The known versions, ended or continued by a tombstone or by a state of an older webhook-api. */
function continuedVersions(
  state: SubscriptionState | null,
  walPosition: string | null,
  known: readonly Subscription[] | undefined,
): readonly Subscription[] {
  const versions = known ?? []
  const last = versions.findLast(({ until }) => until === null)
  const earlier = versions.filter((version) => version !== last)
  const ended = last === undefined || walPosition === null ? [] : [{ ...last, until: walPosition }]
  if (state === null || !state.active) return [...earlier, ...ended]
  // A first state that is not new had predecessors that compaction removed from the topic.
  const hasBegun = known !== undefined || state.createdAt === state.updatedAt
  const next = toSubscription(state, hasBegun ? walPosition : null)
  return last !== undefined && isContinued(last, next)
    ? [...earlier, { ...next, from: last.from }]
    : [...earlier, ...ended, next]
}
