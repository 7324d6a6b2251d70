import { isBefore, walPositionOf } from '@surehook/contracts/wal-position'
import type { KafkaMessage } from '@surehook/kafka/client/surface'
import { LatestPositions } from '@surehook/kafka/offsets/latest-positions'
import { SubscriptionIndex } from '@surehook/matching/index/subscription-index'
import type { Change } from '@surehook/matching/read-change'
import { type EventCodec, UndecodableError } from '@surehook/schemas/codec'

/** When a change was written to the log, and where it was committed. */
export type ChangePlace = Pick<Change, 'walPosition'> & { writtenAt: number }

type Known = {
  /** Of its first state on the topic, when states before that one are compacted away. */
  blindBefore: { position: string | null; writtenAt: number } | null
  changedAt: number
  /** Of all its states on the topic. */
  states: { position: string | null; writtenAt: number }[]
}

/** Clocks of those that write to the log differ. */
const skewMs = 10_000
const allOfThem = { perSubscription: Number.POSITIVE_INFINITY, total: Number.POSITIVE_INFINITY }

/** Every version of every subscription that its topic still has. */
export class KnownVersions {
  readonly #index = new SubscriptionIndex(undefined, allOfThem)
  readonly #known = new Map<string, Known>()
  readonly #positions = new LatestPositions()
  readonly #codec: Pick<EventCodec, 'subscription'>

  constructor(codec: Pick<EventCodec, 'subscription'>) {
    this.#codec = codec
  }

  /** Takes the next record of `webhook.subscriptions`. */
  async apply({ key, value, headers, timestamp }: KafkaMessage): Promise<void> {
    const id = String(key ?? '')
    const position = walPositionOf(headers)
    // The views of matcher and dispatcher leave it out, too.
    if (this.#positions.isOutdated(id, position)) return
    try {
      const state = value === null ? null : await this.#codec.subscription.decode(value)
      this.#index.apply(id, state, position)
      const writtenAt = Number(timestamp)
      const isFirst = state !== null && state.createdAt === state.updatedAt
      const blindBefore = isFirst ? null : { position, writtenAt }
      const known = this.#known.get(id)
      const written = { position, writtenAt }
      if (known === undefined) {
        this.#known.set(id, { blindBefore, changedAt: writtenAt, states: [written] })
      } else {
        known.changedAt = writtenAt
        known.states.push(written)
      }
    } catch (err) {
      // The matcher put it aside, and went on with what it had.
      if (!(err instanceof UndecodableError)) throw err
    }
  }

  /** Ids of the subscriptions that get a delivery of the change; not of those that may or may not. */
  matching(change: Change, writtenAt: number): string[] {
    const found = this.#index.match(change).map(({ id }) => id)
    return found.filter((id) => this.isSure(id, { ...change, writtenAt }))
  }

  /** Whether the topic tells what the subscription was when the change met it. */
  isSure(id: string, { walPosition, writtenAt }: ChangePlace): boolean {
    const known = this.#known.get(id)
    if (known === undefined) return true
    // What another service published met whatever the matcher knew when it came to it.
    if (walPosition === null) return known.changedAt + skewMs < writtenAt
    const { blindBefore } = known
    if (blindBefore === null) return true
    if (blindBefore.position === null) return blindBefore.writtenAt + skewMs < writtenAt
    return isBefore(walPosition, blindBefore.position) === false
  }

  /**
   * Whether a state was committed before the change and came to its topic after it. The matcher may have met the
   * change with the state before: nobody had an answer yet that the new one is in force.
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
