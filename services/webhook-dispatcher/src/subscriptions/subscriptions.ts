import type { Cancellation, SubscriptionState } from '@surehook/contracts/events'
import { endpointId } from '@surehook/contracts/ids'
import { type SigningKeys, signingKeys } from '@surehook/matching/signed-headers'
import type { Logger } from '@surehook/service-kit/telemetry/log'

export type SecretOpener = { open(sealed: string, context: string): string }

/** A sealed secret, opened when it is first needed; `keys` is null when it cannot be read. */
type Secret = { ciphertext: string; validUntil: number; keys?: SigningKeys | null }

/** What an attempt needs to know of a subscription, as of now. */
export class Subscription {
  readonly url: string
  readonly endpointId: string
  /** Deliveries that are not attempted any more. */
  readonly cancellations: readonly Cancellation[]
  readonly #active: boolean
  readonly #current: Secret | undefined
  /** Still valid for a while after a rotation. */
  readonly #replaced: readonly Secret[]
  readonly #open: (ciphertext: string) => SigningKeys | null

  /** @param open gives null for a secret that cannot be read */
  constructor(state: SubscriptionState, open: (ciphertext: string) => SigningKeys | null) {
    this.url = state.url
    this.endpointId = endpointId(state.projectId, state.environment, state.url)
    this.cancellations = state.cancellations
    this.#active = state.active
    const [current, ...replaced] = state.secrets.map(({ ciphertext, validUntil }) => ({
      ciphertext,
      validUntil: validUntil === null ? Number.POSITIVE_INFINITY : Date.parse(validUntil),
    }))
    this.#current = current
    this.#replaced = replaced
    this.#open = open
  }

  /** Deliveries may go out. Without its current secret nothing could be verified: they wait. */
  get deliverable(): boolean {
    return this.#active && this.#keysOf(this.#current) !== null
  }

  /** The secrets that sign at `now` (epoch ms), the current one first; a replaced one only if it can be read. */
  secretsAt(now: number): SigningKeys[] {
    const valid = this.#replaced.filter(({ validUntil }) => validUntil > now)
    return [this.#current, ...valid]
      .map((secret) => this.#keysOf(secret))
      .filter((keys) => keys !== null)
  }

  #keysOf(secret: Secret | undefined): SigningKeys | null {
    if (secret === undefined) return null
    if (secret.keys === undefined) secret.keys = this.#open(secret.ciphertext)
    return secret.keys
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
  readonly #log: Pick<Logger, 'error' | 'warn'>

  constructor(
    opener: SecretOpener,
    {
      onChange,
      log,
    }: { onChange: (subscriptionId: string) => void; log: Pick<Logger, 'error' | 'warn'> },
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
    const { id } = state
    const current = state.secrets[0]?.ciphertext
    return new Subscription(state, (ciphertext) => {
      const required = ciphertext === current
      return this.#keysOf({ id, ciphertext, required })
    })
  }

  #keysOf({ id, ciphertext, required }: SealedSecretOf): SigningKeys | null {
    try {
      return signingKeys(this.#opener.open(ciphertext, id))
    } catch (err) {
      const fields = { err, subscriptionId: id }
      if (required) this.#log.error(fields, 'subscription.secret.unreadable')
      else this.#log.warn(fields, 'subscription.replaced_secret.unreadable')
      return null
    }
  }
}

type SealedSecretOf = { id: string; ciphertext: string; required: boolean }
