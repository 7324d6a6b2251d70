import type { SubscriptionState } from '@surehook/contracts/events'
import { isBefore, walPositionOf } from '@surehook/contracts/wal-position'
import type { KafkaMessage } from '@surehook/kafka/client/surface'
import { LatestPositions } from '@surehook/kafka/offsets/latest-positions'
import { SubscriptionIndex } from '@surehook/matching/index/subscription-index'
import type { Change } from '@surehook/matching/read-change'
import { type EventCodec, UndecodableError } from '@surehook/schemas/codec'

/** The time at which a change was written to the log, and its WAL position. */
export type ChangePlace = Pick<Change, 'walPosition'> & { writtenAt: number }

type WrittenVersion = {
  /** Where it begins to apply. */
  position: string | null
  /** Position of its commit; `null` if its record was compacted away. */
  committedAt: string | null
  /** The time at which it was on its topic at the latest. */
  writtenAt: number
}

type SubscriptionHistory = {
  /** The first known version, if there were earlier ones. */
  blindBefore: WrittenVersion | null
  changedAt: number
  /** `updatedAt` of the newest state; null for a deleted subscription. */
  updatedAt: string | null
  versions: WrittenVersion[]
}

/** How much the clocks of writers may differ. */
const skewMs = 10_000
/** The longest time from a commit until its record is on the topic, if the record does not tell. */
const lateMs = 10 * 60_000
const allOfThem = { perSubscription: Number.POSITIVE_INFINITY, total: Number.POSITIVE_INFINITY }

/** Every version of every subscription that the topic still tells. */
export class KnownVersions {
  readonly #index = new SubscriptionIndex(undefined, allOfThem)
  readonly #known = new Map<string, SubscriptionHistory>()
  readonly #positions = new LatestPositions()
  readonly #codec: Pick<EventCodec, 'subscription'>

  constructor(codec: Pick<EventCodec, 'subscription'>) {
    this.#codec = codec
  }

  /** Applies the next record of `webhook.subscriptions`. */
  async apply({ key, value, headers, timestamp }: KafkaMessage): Promise<void> {
    const id = String(key ?? '')
    const position = walPositionOf(headers)
    // The matcher and the dispatcher skip it too.
    if (this.#positions.isOutdated(id, position)) return
    try {
      const state = value === null ? null : await this.#codec.subscription.decode(value)
      this.#index.apply(id, state, position)
      const written = { position, committedAt: position, writtenAt: Number(timestamp) }
      const known = this.#known.get(id)
      const next =
        state !== null && state.versions.length > 0
          ? listedHistory(state, written, known)
          : continuedHistory(state, written, known)
      this.#known.set(id, next)
    } catch (err) {
      // The matcher refused it as well and kept its previous state.
      if (!(err instanceof UndecodableError)) throw err
    }
  }

  /** Returns the ids of subscriptions that surely match the change; uncertain ones are left out. */
  matching(change: Change, writtenAt: number): string[] {
    const found = this.#index.match(change).map(({ id }) => id)
    return found.filter((id) => this.isSure(id, { ...change, writtenAt }))
  }

  /** Returns whether the topic still shows the subscription's state at the time of the change. */
  isSure(id: string, { walPosition, writtenAt }: ChangePlace): boolean {
    const known = this.#known.get(id)
    if (known === undefined) return true
    // A change of another service has no WAL position, so only its time can be compared.
    if (walPosition === null) return known.changedAt + skewMs < writtenAt
    const { blindBefore } = known
    if (blindBefore === null) return true
    if (blindBefore.position === null) return blindBefore.writtenAt + skewMs < writtenAt
    return isBefore(walPosition, blindBefore.position) === false
  }

  /**
   * Returns whether a version began before the change, but was committed or written to its topic
   * after it. The matcher may then have used the previous one. This is allowed, because no client had
   * been told yet that the new one applies.
   */
  mayHaveComeLate(id: string, { walPosition, writtenAt }: ChangePlace): boolean {
    if (walPosition === null) return false
    const versions = this.#known.get(id)?.versions ?? []
    return versions.some(
      ({ position, committedAt, writtenAt: knownAt }) =>
        position !== null &&
        isBefore(position, walPosition) === true &&
        (knownAt >= writtenAt ||
          // A version begins shortly before its commit, and the matcher may not have had it then.
          (committedAt !== null && isBefore(walPosition, committedAt) === true)),
    )
  }
}

/** A state that lists its versions. Records of the earlier ones may be compacted away. */
function listedHistory(
  { versions: listed, createdAt, updatedAt }: SubscriptionState,
  written: WrittenVersion,
  known: SubscriptionHistory | undefined,
): SubscriptionHistory {
  const versions = [...(known?.versions ?? [])]
  let changedAt = known?.changedAt ?? 0
  for (const version of listed) {
    // A state that is published again, perhaps with other cancellations, lists the same.
    if (versions.some(({ position }) => position === version.walPosition)) continue
    const isOwn = version === listed.at(-1) && version.updatedAt === updatedAt
    const at = isOwn ? written.writtenAt : Date.parse(version.updatedAt) + lateMs
    const committedAt = isOwn ? written.position : null
    versions.push({ position: version.walPosition, committedAt, writtenAt: at })
    changedAt = at
  }
  const [oldest] = listed
  const blindBefore =
    oldest === undefined || oldest.updatedAt === createdAt
      ? null
      : { ...written, position: oldest.walPosition }
  return { blindBefore, changedAt, updatedAt, versions }
}

/** A tombstone, or a state of an older webhook-api. */
function continuedHistory(
  state: SubscriptionState | null,
  written: WrittenVersion,
  known: SubscriptionHistory | undefined,
): SubscriptionHistory {
  const updatedAt = state?.updatedAt ?? null
  const changedAt = written.writtenAt
  if (known === undefined) {
    const isFirst = state !== null && state.createdAt === state.updatedAt
    return { blindBefore: isFirst ? null : written, changedAt, updatedAt, versions: [written] }
  }
  // A state that is published again, perhaps with other cancellations, matches the same.
  if (updatedAt !== null && updatedAt === known.updatedAt) return known
  return { ...known, changedAt, updatedAt, versions: [...known.versions, written] }
}
