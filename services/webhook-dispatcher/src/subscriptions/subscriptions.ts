import type { SubscriptionState } from '@surehook/contracts'
import { endpointId } from '@surehook/contracts/ids'

export type SecretOpener = { open(sealed: string, context: string): string }

/** What an attempt needs to know of a subscription, as of now. */
export class Subscription {
  readonly url: string
  readonly active: boolean
  readonly endpointId: string
  readonly #id: string
  readonly #secrets: SubscriptionState['secrets']
  readonly #opener: SecretOpener
  #opened: string[] | null = null

  constructor(state: SubscriptionState, opener: SecretOpener) {
    this.url = state.url
    this.active = state.active
    this.endpointId = endpointId(state.projectId, state.environment, state.url)
    this.#id = state.id
    this.#secrets = state.secrets
    this.#opener = opener
  }

  /** The secrets that sign at `now` (epoch ms), the current one first. */
  secretsAt(now: number): string[] {
    this.#opened ??= this.#secrets.map(({ ciphertext }) => this.#opener.open(ciphertext, this.#id))
    return this.#opened.filter((_, index) => {
      const validUntil = this.#secrets[index]?.validUntil
      return validUntil == null || Date.parse(validUntil) > now
    })
  }
}

/** Every subscription, kept from the compacted topic. */
export class Subscriptions {
  readonly #byId = new Map<string, Subscription>()
  readonly #opener: SecretOpener
  readonly #onChange: (subscriptionId: string) => void

  constructor(opener: SecretOpener, onChange: (subscriptionId: string) => void) {
    this.#opener = opener
    this.#onChange = onChange
  }

  get(subscriptionId: string): Subscription | undefined {
    return this.#byId.get(subscriptionId)
  }

  get size(): number {
    return this.#byId.size
  }

  apply(subscriptionId: string, state: SubscriptionState | null): void {
    if (state === null) this.#byId.delete(subscriptionId)
    else this.#byId.set(subscriptionId, new Subscription(state, this.#opener))
    this.#onChange(subscriptionId)
  }
}
