import type { SubscriptionState } from '@surehook/contracts/events'
import { endpointId } from '@surehook/contracts/ids'
import { type SigningKeys, signingKeys } from '@surehook/deliveries/signed-headers'
import type { Logger } from '@surehook/service-kit/log'

export type SecretOpener = { open(sealed: string, context: string): string }

/** What an attempt needs to know of a subscription, as of now. */
export class Subscription {
  readonly url: string
  readonly endpointId: string
  readonly #active: boolean
  readonly #validUntil: readonly number[]
  readonly #open: () => readonly SigningKeys[] | null
  #secrets: readonly SigningKeys[] | null | undefined

  /** @param open its secrets, the current one first; null when they cannot be read */
  constructor(state: SubscriptionState, open: () => readonly SigningKeys[] | null) {
    this.url = state.url
    this.endpointId = endpointId(state.projectId, state.environment, state.url)
    this.#active = state.active
    this.#validUntil = state.secrets.map(({ validUntil }) =>
      validUntil === null ? Number.POSITIVE_INFINITY : Date.parse(validUntil),
    )
    this.#open = open
  }

  /** Deliveries may go out. Without a secret that can be read nothing could be verified: they wait. */
  get deliverable(): boolean {
    return this.#active && this.#opened !== null
  }

  /** The secrets that sign at `now` (epoch ms), the current one first. */
  secretsAt(now: number): SigningKeys[] {
    const secrets = this.#opened ?? []
    return secrets.filter((_, index) => (this.#validUntil[index] ?? 0) > now)
  }

  get #opened(): readonly SigningKeys[] | null {
    if (this.#secrets === undefined) this.#secrets = this.#open()
    return this.#secrets
  }
}

/**
 * There is such a subscription, but nobody knows what it says: its deliveries wait, as those of an
 * inactive one do, until its next state.
 */
export type UnreadableSubscription = { readonly url: null; readonly deliverable: false }

const unreadable: UnreadableSubscription = { url: null, deliverable: false }

/** Every subscription, kept from the compacted topic. */
export class Subscriptions {
  readonly #byId = new Map<string, Subscription | UnreadableSubscription>()
  readonly #opener: SecretOpener
  readonly #onChange: (subscriptionId: string) => void
  readonly #log: Pick<Logger, 'error'>

  constructor(
    opener: SecretOpener,
    { onChange, log }: { onChange: (subscriptionId: string) => void; log: Pick<Logger, 'error'> },
  ) {
    this.#opener = opener
    this.#onChange = onChange
    this.#log = log
  }

  /** `undefined` for one that was deleted, or that never was. */
  get(subscriptionId: string): Subscription | UnreadableSubscription | undefined {
    return this.#byId.get(subscriptionId)
  }

  apply(subscriptionId: string, state: SubscriptionState | null): void {
    if (state === null) this.#byId.delete(subscriptionId)
    else this.#byId.set(subscriptionId, this.#subscriptionOf(state))
    this.#onChange(subscriptionId)
  }

  /** Its newest state cannot be decoded. */
  unreadable(subscriptionId: string): void {
    this.#byId.set(subscriptionId, unreadable)
    this.#onChange(subscriptionId)
  }

  #subscriptionOf(state: SubscriptionState): Subscription {
    // Taken out of the state, which would live on in the function, filter and all.
    const { id, secrets } = state
    return new Subscription(state, () => this.#secretsOf({ id, secrets }))
  }

  #secretsOf({ id, secrets }: Pick<SubscriptionState, 'id' | 'secrets'>): SigningKeys[] | null {
    try {
      return secrets.map(({ ciphertext }) => signingKeys(this.#opener.open(ciphertext, id)))
    } catch (err) {
      this.#log.error({ err, subscriptionId: id }, 'subscription.secret.unreadable')
      return null
    }
  }
}
