import { LRUCache } from 'lru-cache'
import { TooManyTokensError } from '../token-error.ts'

export type FailedTokensOptions = {
  /** Encrypted tokens of one client that may turn out not to be good, in a minute. */
  maxPerMinute?: number
  /** A clock that nobody sets. */
  now?: () => number
}

type Window = { failed: number; endsAt: number }

const defaultMaxPerMinute = 100
const windowMs = 60_000
/** Those beyond are forgotten, the least active first. */
const maxClients = 20_000

/**
 * Counts the encrypted tokens of each client that were not good. Anybody can encrypt with the published key, and only
 * an operation with the private key tells a forged token from a new one.
 */
export class FailedTokens {
  readonly #max: number
  readonly #now: () => number
  readonly #windows = new LRUCache<string, Window>({ max: maxClients })

  constructor(options: FailedTokensOptions = {}) {
    const { maxPerMinute = defaultMaxPerMinute, now = () => performance.now() } = options
    this.#max = maxPerMinute
    this.#now = now
  }

  /**
   * Call it before anything is spent on a token that is not known.
   *
   * @throws TooManyTokensError until the minute is over, when too many tokens of this client failed
   */
  assertBelowLimit(client: string): void {
    const window = this.#open(client)
    if (window === undefined || window.failed < this.#max) return
    throw new TooManyTokensError(Math.ceil((window.endsAt - this.#now()) / 1_000))
  }

  count(client: string): void {
    const window = this.#open(client)
    if (window === undefined) {
      this.#windows.set(client, { failed: 1, endsAt: this.#now() + windowMs })
    } else window.failed += 1
  }

  #open(client: string): Window | undefined {
    const window = this.#windows.get(client)
    return window !== undefined && this.#now() < window.endsAt ? window : undefined
  }
}
