import type { Cancellation, SubscriptionState } from '@surehook/contracts/events'
import { webhookName } from '@surehook/contracts/events/delivery-events'
import { endpointId } from '@surehook/contracts/ids'
import type { OwnHeaders } from '@surehook/matching/own-headers'
import type { SigningKeys } from '@surehook/matching/signed-headers'
import type { SubscriptionLimits } from '../endpoint/subscription-queue.ts'
import type { SecretsOpener } from './secrets-opener.ts'

/** An encrypted secret that is opened at its first use. `keys` is `null` if it is unreadable. */
type Secret = { ciphertext: string; validUntil: number; keys?: SigningKeys | null }

type Opener = Pick<SecretsOpener, 'keysOf' | 'headersOf'>

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
  readonly #opener: Opener

  constructor(state: SubscriptionState, opener: Opener) {
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
    this.#opener = opener
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
    if (this.#headers === undefined)
      this.#headers = this.#opener.headersOf(this.id, this.#sealedHeaders)
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
    if (secret.keys === undefined) {
      const { ciphertext } = secret
      const required = secret === this.#current
      secret.keys = this.#opener.keysOf({ id: this.id, ciphertext, required })
    }
    return secret.keys
  }
}

/** The subscription exists, but its state is not known here. */
export type UnknownState = {
  readonly url: null
  readonly deliverable: false
  readonly limits?: undefined
  readonly name?: undefined
}

export type KnownSubscription = Subscription | UnknownState

/**
 * The newest state is unreadable. Deliveries wait for the next one, like those of an inactive
 * subscription.
 */
export const unreadable: UnknownState = { url: null, deliverable: false }

/** The newest state is on the topic and not read yet. Nothing may be decided until it is. */
export const unloaded: UnknownState = { url: null, deliverable: false }
