import { type OwnHeaders, openHeaders } from '@surehook/matching/own-headers'
import { type SigningKeys, signingKeys } from '@surehook/matching/signed-headers'
import type { Logger } from '@surehook/service-kit/telemetry/log'

export type TextOpener = { open(sealed: string, context: string): string }

type SealedSecretOf = { id: string; ciphertext: string; required: boolean }

/** Decrypts secrets and headers of subscriptions, and logs those that it cannot decrypt. */
export class SecretsOpener {
  readonly #opener: TextOpener
  readonly #log: Pick<Logger, 'error' | 'warn'>

  constructor(opener: TextOpener, log: Pick<Logger, 'error' | 'warn'>) {
    this.#opener = opener
    this.#log = log
  }

  /** Returns null for a text that cannot be decrypted. */
  headersOf(subscriptionId: string, ciphertext: string): OwnHeaders | null {
    try {
      return openHeaders(this.#opener, subscriptionId, ciphertext)
    } catch (err) {
      this.#log.error({ err, subscriptionId }, 'subscription.headers.unreadable')
      return null
    }
  }

  /** Returns null for a text that cannot be decrypted. */
  keysOf({ id, ciphertext, required }: SealedSecretOf): SigningKeys | null {
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
