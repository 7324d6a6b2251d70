import type { SubscriptionState } from '@surehook/contracts/events'
import { endpointId } from '@surehook/contracts/ids'
import { UndecodableError } from '@surehook/schemas/codec'
import { isContinued, type Subscription, selectKeyOf, toSubscription } from '../subscription.ts'

/**
 * Lets the oldest kept version match the changes of dropped ones too: one delivery too many is better
 * than one too few.
 */
export function coverEarlier([oldest, ...later]: readonly Subscription[]): Subscription[] {
  return oldest === undefined ? [] : [{ ...oldest, from: null }, ...later]
}

/**
 * Returns the active versions of a subscription, oldest first. `null`: it was deleted. Throws an
 * `UndecodableError` if the state is not valid.
 * @param known the versions before; undefined if nothing is known of the subscription
 */
export function versionsOf(
  state: SubscriptionState | null,
  walPosition: string | null,
  known: readonly Subscription[] | undefined,
): readonly Subscription[] {
  return state !== null && state.versions.length > 0
    ? listedVersions(state, known)
    : continuedVersions(state, walPosition, known)
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
