import { isBefore, walPositionOf } from '@surehook/contracts/wal-position'
import type { KafkaMessage } from '@surehook/kafka/client/surface'
import { LatestPositions } from '@surehook/kafka/offsets/latest-positions'
import { SubscriptionIndex } from '@surehook/matching/index/subscription-index'
import type { Change } from '@surehook/matching/read-change'
import { type EventCodec, UndecodableError } from '@surehook/schemas/codec'

/** The time at which a change was written to the log, and its WAL position. */
export type ChangePlace = Pick<Change, 'walPosition'> & { writtenAt: number }

type WritePosition = { position: string | null; writtenAt: number }

type SubscriptionHistory = {
  /** The first state on the topic, if earlier states were compacted away. */
  blindBefore: WritePosition | null
  changedAt: number
  /** `updatedAt` of the newest state; null for a deleted subscription. */
  updatedAt: string | null
  /** Every state on the topic, without those that only repeat the one before. */
  states: WritePosition[]
}

/** How much the clocks of writers may differ. */
const skewMs = 10_000
const allOfThem = { perSubscription: Number.POSITIVE_INFINITY, total: Number.POSITIVE_INFINITY }

/** Every version of every subscription that is still on the topic. */
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
      const writtenAt = Number(timestamp)
      const isFirst = state !== null && state.createdAt === state.updatedAt
      const blindBefore = isFirst ? null : { position, writtenAt }
      const written = { position, writtenAt }
      this.#know(id, { blindBefore, updatedAt: state?.updatedAt ?? null, written })
    } catch (err) {
      // The matcher refused it as well and kept its previous state.
      if (!(err instanceof UndecodableError)) throw err
    }
  }

  #know(
    id: string,
    {
      written,
      ...version
    }: Pick<SubscriptionHistory, 'blindBefore' | 'updatedAt'> & { written: WritePosition },
  ): void {
    const { updatedAt } = version
    const known = this.#known.get(id)
    if (known === undefined) {
      const changedAt = written.writtenAt
      this.#known.set(id, { ...version, changedAt, states: [written] })
      return
    }
    // A state that is published again, perhaps with other cancellations, matches the same.
    if (updatedAt !== null && updatedAt === known.updatedAt) return
    known.changedAt = written.writtenAt
    known.updatedAt = updatedAt
    known.states.push(written)
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
   * Returns whether a state was committed before the change but written to its topic after it. The
   * matcher may then have used the previous state. This is allowed, because no client had been told
   * yet that the new state applies.
   */
  mayHaveComeLate(id: string, { walPosition, writtenAt }: ChangePlace): boolean {
    if (walPosition === null) return false
    const states = this.#known.get(id)?.states ?? []
    return states.some(
      (state) =>
        state.writtenAt >= writtenAt &&
        state.position !== null &&
        isBefore(state.position, walPosition) === true,
    )
  }
}
