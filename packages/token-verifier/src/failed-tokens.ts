import { LRUCache } from 'lru-cache'
import { TooManyTokensError } from './token-error.ts'

export type FailedTokensOptions = {
  /** Most invalid encrypted tokens of one client per minute. */
  maxPerMinute?: number
  /** Monotonic clock in milliseconds. */
  now?: () => number
}

type Window = { failed: number; endsAt: number }

const defaultMaxPerMinute = 100
const windowMs = 60_000
/** Most clients to track. The least recently active are dropped first. */
const maxClients = 20_000

/**
 * Counts the invalid encrypted tokens of each client. Anyone can encrypt with the published key,
 * and only the private key can distinguish a forged token from a new one.
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
   * Call it before any work on an unknown token.
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
