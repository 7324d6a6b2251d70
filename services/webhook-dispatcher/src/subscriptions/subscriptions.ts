import type { SubscriptionState } from '@surehook/contracts/events'
import { endpointId } from '@surehook/contracts/ids'
import { type SigningKeys, signingKeys } from '@surehook/matching/signed-headers'
import type { Logger } from '@surehook/service-kit/telemetry/log'

export type SecretOpener = { open(sealed: string, context: string): string }

/** An encrypted secret that is opened at its first use. `keys` is `null` if it is unreadable. */
type Secret = { ciphertext: string; validUntil: number; keys?: SigningKeys | null }

/** The present state of a subscription that attempts need. */
export class Subscription {
  readonly url: string
  readonly endpointId: string
  readonly #active: boolean
  readonly #current: Secret | undefined
  /** Replaced secrets that are valid for a while after a rotation. */
  readonly #replaced: readonly Secret[]
  readonly #open: (ciphertext: string) => SigningKeys | null

  /** @param open returns `null` for an unreadable secret */
  constructor(state: SubscriptionState, open: (ciphertext: string) => SigningKeys | null) {
    this.url = state.url
    this.endpointId = endpointId(state.projectId, state.environment, state.url)
    this.#active = state.active
    const [current, ...replaced] = state.secrets.map(({ ciphertext, validUntil }) => ({
      ciphertext,
      validUntil: validUntil === null ? Number.POSITIVE_INFINITY : Date.parse(validUntil),
    }))
    this.#current = current
    this.#replaced = replaced
    this.#open = open
  }

  /**
   * True if deliveries may be sent. Without the current secret no receiver could verify them, so
   * they wait.
   */
  get deliverable(): boolean {
    return this.#active && this.#keysOf(this.#current) !== null
  }

  /**
   * Returns the secrets that sign at `now` (epoch ms), the current one first. An unreadable
   * replaced secret is left out.
   */
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
 * The subscription exists, but its state is unreadable. Its deliveries wait for its next state,
 * like those of an inactive one.
 */
export type UnreadableSubscription = { readonly url: null; readonly deliverable: false }

const unreadable: UnreadableSubscription = { url: null, deliverable: false }

/** Every subscription, from the compacted topic. */
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

  /** Returns `undefined` for a subscription that was deleted or never existed. */
  get(subscriptionId: string): Subscription | UnreadableSubscription | undefined {
    return this.#byId.get(subscriptionId)
  }

  apply(subscriptionId: string, state: SubscriptionState | null): void {
    if (state === null) this.#byId.delete(subscriptionId)
    else this.#byId.set(subscriptionId, this.#subscriptionOf(state))
    this.#onChange(subscriptionId)
  }

  /** Call it if the newest state cannot be decoded. */
  unreadable(subscriptionId: string): void {
    this.#byId.set(subscriptionId, unreadable)
    this.#onChange(subscriptionId)
  }

  #subscriptionOf(state: SubscriptionState): Subscription {
    // Copied, because a closure over the state would keep all of it in memory, including the
    // filter.
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
