import type { CryptoKey } from 'jose'
import { boundedBy, boundedJson } from '../bounded.ts'
import { type FreshnessPolicy, standing } from '../claims/freshness.ts'
import { VerifierUnavailableError } from '../token-error.ts'
import { type KeySet, readKeySet, type VerifyKeys } from './key-set.ts'

export type RemoteKeysOptions = FreshnessPolicy & {
  url: string | URL
  headers?: Readonly<Record<string, string>> | undefined
  timeoutMs: number
  fetch: typeof fetch
  now: () => number
  /** Reads the answer. Unchanged keys keep their objects. By default it reads RS256 keys. */
  readKeys?: (set: unknown, known: KeySet) => Promise<KeySet>
}

const maxBytes = 256 * 1024

/**
 * Caches the issuer's published signing keys. A known key causes no wait unless the last request is
 * older than `maxAgeMs`. An unknown key causes a request, at most once per cooldown.
 */
export class RemoteKeys implements VerifyKeys {
  readonly #options: RemoteKeysOptions
  #keys: KeySet = new Map()
  #answeredAt = Number.NEGATIVE_INFINITY
  #triedAt = Number.NEGATIVE_INFINITY
  #failure: unknown = null
  #running: Promise<void> | null = null

  constructor(options: RemoteKeysOptions) {
    this.#options = options
  }

  async keyOf(kid: string): Promise<CryptoKey | null> {
    const known = this.#find(kid)
    const now = known === null ? 'over' : this.#standing()
    if (now === 'renew') void this.#refresh()
    if (now === 'good' || now === 'renew') return known
    if (this.#running !== null || this.#mayAsk()) await this.#refresh()
    if (this.#failure === null) return this.#find(kid)
    const stale = this.#standing() === 'over' ? null : this.#find(kid)
    if (stale !== null) return stale
    throw new VerifierUnavailableError('The keys cannot be read', { cause: this.#failure })
  }

  #find(kid: string): CryptoKey | null {
    return this.#keys.get(kid)?.key ?? null
  }

  #standing() {
    const asked = { answeredAt: this.#answeredAt, triedAt: this.#triedAt }
    return standing(asked, this.#options, this.#options.now())
  }

  #mayAsk(): boolean {
    return this.#options.now() - this.#triedAt >= this.#options.cooldownMs
  }

  /** Runs one request at a time, shared by all callers. Never rejects. */
  #refresh(): Promise<void> {
    this.#running ??= this.#fetch().finally(() => {
      this.#running = null
    })
    return this.#running
  }

  async #fetch(): Promise<void> {
    const { now, timeoutMs } = this.#options
    const askedAt = now()
    try {
      this.#keys = await boundedBy(timeoutMs, this.#read(), 'The keys were not answered in time')
      // Dated from the request: the keys may have changed before the answer arrived.
      this.#answeredAt = askedAt
      this.#failure = null
    } catch (err) {
      this.#failure = err
    }
    this.#triedAt = now()
  }

  async #read(): Promise<KeySet> {
    const { url, headers = {}, timeoutMs, fetch: get, readKeys = readKeySet } = this.#options
    const response = await get(url, {
      // An HTTP cache must not extend the lifetime of a key.
      headers: { ...headers, accept: 'application/json', 'cache-control': 'no-cache' },
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
    if (response.ok) return readKeys(await boundedJson(response, maxBytes), this.#keys)
    await response.body?.cancel()
    // 404: the environment has no authentication, so no token is valid.
    if (response.status === 404) return new Map()
    throw new Error(`The key set was answered with ${response.status}`)
  }
}
