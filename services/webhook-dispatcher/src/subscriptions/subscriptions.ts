import type { Cancellation, SubscriptionState } from '@surehook/contracts/events'
import { webhookName } from '@surehook/contracts/events/delivery-events'
import { endpointId } from '@surehook/contracts/ids'
import { type OwnHeaders, openHeaders } from '@surehook/matching/own-headers'
import { type SigningKeys, signingKeys } from '@surehook/matching/signed-headers'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import type { SubscriptionLimits } from '../endpoint/subscription-queue.ts'

export type SecretOpener = { open(sealed: string, context: string): string }

/** An encrypted secret that is opened at its first use. `keys` is `null` if it is unreadable. */
type Secret = { ciphertext: string; validUntil: number; keys?: SigningKeys | null }

/** Both return null for a text that cannot be decrypted. */
export type Openers = {
  keys: (ciphertext: string) => SigningKeys | null
  headers: (ciphertext: string) => OwnHeaders | null
}

const noHeaders: OwnHeaders = {}

/** What an attempt needs to know of a subscription, as of now. */
export class Subscription {
  readonly id: string
  /** As `webhookName` returns it. */
  readonly name: string | null
  readonly url: string
  readonly projectId: string
  readonly endpointId: string
  /** True if the receiver may ask for a longer wait. */
  readonly retryAfter: boolean
  /** Before the second and each further attempt; null: the installation's. */
  readonly retryDelays: readonly string[] | null
  /** Whether the deliveries of a record leave one after another. */
  readonly ordered: boolean
  readonly limits: SubscriptionLimits
  /** Deliveries that are not attempted any more. */
  readonly cancellations: readonly Cancellation[]
  /**
   * Epoch ms; Infinity if it is active. It is the time of the last change, so the subscription may
   * have become inactive earlier.
   */
  readonly inactiveSince: number
  /** Epoch ms. */
  readonly createdAt: number
  readonly #active: boolean
  readonly #current: Secret | undefined
  /** Replaced secrets that are valid for a while after a rotation. */
  readonly #replaced: readonly Secret[]
  readonly #sealedHeaders: string | undefined
  /** Opened when they are first needed. */
  #headers: OwnHeaders | null | undefined
  readonly #open: Openers

  constructor(state: SubscriptionState, open: Openers) {
    this.id = state.id
    this.name = webhookName(state)
    this.url = state.url
    this.projectId = state.projectId
    this.endpointId = endpointId(state)
    this.retryAfter = state.policy?.retryAfter ?? false
    this.retryDelays = state.policy?.retryDelays ?? null
    this.ordered = state.policy?.ordered === 'record'
    const { concurrency = null, perSecond = null } = state.policy ?? {}
    this.limits = { concurrency, perSecond }
    this.cancellations = state.cancellations
    this.#active = state.active
    this.createdAt = Date.parse(state.createdAt)
    this.inactiveSince = state.active ? Number.POSITIVE_INFINITY : Date.parse(state.updatedAt)
    const [current, ...replaced] = state.secrets.map(({ ciphertext, validUntil }) => ({
      ciphertext,
      validUntil: validUntil === null ? Number.POSITIVE_INFINITY : Date.parse(validUntil),
    }))
    this.#current = current
    this.#replaced = replaced
    this.#sealedHeaders = state.policy?.headers?.ciphertext
    this.#open = open
  }

  /**
   * True if deliveries may be sent. They wait while the current secret or the own headers cannot be
   * decrypted: the receiver could not verify them, or would refuse them.
   */
  get deliverable(): boolean {
    return this.#active && this.#keysOf(this.#current) !== null && this.headers !== null
  }

  /** The subscriber's own headers; null if they cannot be decrypted. */
  get headers(): OwnHeaders | null {
    if (this.#sealedHeaders === undefined) return noHeaders
    if (this.#headers === undefined) this.#headers = this.#open.headers(this.#sealedHeaders)
    return this.#headers
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
    if (secret.keys === undefined) secret.keys = this.#open.keys(secret.ciphertext)
    return secret.keys
  }
}

/**
 * The subscription exists, but its state is unreadable. Its deliveries wait for its next state,
 * like those of an inactive one.
 */
export type UnreadableSubscription = {
  readonly url: null
  readonly deliverable: false
  readonly limits?: undefined
  readonly name?: undefined
}

const unreadable: UnreadableSubscription = { url: null, deliverable: false }

/** Every subscription, from the compacted topic. */
export class Subscriptions {
  readonly #byId = new Map<string, Subscription | UnreadableSubscription>()
  readonly #opener: SecretOpener
  readonly #log: Pick<Logger, 'error' | 'warn'>
  #onChange: SubscriptionListener = () => undefined

  constructor(opener: SecretOpener, log: Pick<Logger, 'error' | 'warn'>) {
    this.#opener = opener
    this.#log = log
  }

  /** Calls `listener` for each subscription whose state has changed. */
  onChange(listener: SubscriptionListener): void {
    this.#onChange = listener
  }

  /** Returns `undefined` for a subscription that was deleted or never existed. */
  get(subscriptionId: string): Subscription | UnreadableSubscription | undefined {
    return this.#byId.get(subscriptionId)
  }

  apply(subscriptionId: string, state: SubscriptionState | null): void {
    const before = endpointOf(this.#byId.get(subscriptionId))
    if (state === null) this.#byId.delete(subscriptionId)
    else this.#byId.set(subscriptionId, this.#subscriptionOf(state))
    const isSame = endpointOf(this.#byId.get(subscriptionId)) === before
    this.#onChange(subscriptionId, isSame ? null : before)
  }

  /** Call it if the newest state cannot be decoded. */
  unreadable(subscriptionId: string): void {
    this.#byId.set(subscriptionId, unreadable)
    this.#onChange(subscriptionId, null)
  }

  /**
   * True if a subscription delivers to the endpoint that existed at the time (epoch ms). Visits all
   * subscriptions.
   */
  isAnyAt(endpoint: string, at = Number.POSITIVE_INFINITY): boolean {
    return this.#byId.values().some((one) => endpointOf(one) === endpoint && existed(one, at))
  }

  #subscriptionOf(state: SubscriptionState): Subscription {
    // Copied, because a closure over the state would keep all of it in memory, including the
    // filter.
    const { id } = state
    const current = state.secrets[0]?.ciphertext
    return new Subscription(state, {
      keys: (ciphertext) => this.#keysOf({ id, ciphertext, required: ciphertext === current }),
      headers: (ciphertext) => this.#headersOf(id, ciphertext),
    })
  }

  #headersOf(subscriptionId: string, ciphertext: string): OwnHeaders | null {
    try {
      return openHeaders(this.#opener, subscriptionId, ciphertext)
    } catch (err) {
      this.#log.error({ err, subscriptionId }, 'subscription.headers.unreadable')
      return null
    }
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

/** @param left the endpoint to which the subscription has delivered until now, if it has another */
type SubscriptionListener = (subscriptionId: string, left: string | null) => void

const existed = (subscription: Subscription | UnreadableSubscription, at: number) =>
  subscription.url !== null && subscription.createdAt <= at

const endpointOf = (subscription: Subscription | UnreadableSubscription | undefined) =>
  subscription === undefined || subscription.url === null ? null : subscription.endpointId

type SealedSecretOf = { id: string; ciphertext: string; required: boolean }
