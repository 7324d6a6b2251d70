import { type CryptoKey, importJWK, type JWK } from 'jose'
import { VerifierUnavailableError } from './token-error.ts'
import type { VerifyKeys } from './verify-jws.ts'

export type RemoteKeysOptions = {
  url: string | URL
  headers?: Readonly<Record<string, string>> | undefined
  /** Between two requests for a `kid` that is not known. */
  cooldownMs: number
  /** Known keys are asked for again after this. */
  maxAgeMs: number
  /** Known keys go on counting for this long while the issuer does not answer. */
  maxStaleMs: number
  timeoutMs: number
  fetch: typeof fetch
  now: () => number
}

type Fetched = { keys: ReadonlyMap<string, CryptoKey>; at: number }

/** The issuer's published signing keys, kept in memory. */
export class RemoteKeys implements VerifyKeys {
  readonly #options: RemoteKeysOptions
  #known: Fetched = { keys: new Map(), at: Number.NEGATIVE_INFINITY }
  #triedAt = Number.NEGATIVE_INFINITY
  #failure: unknown = null
  #running: Promise<void> | null = null

  constructor(options: RemoteKeysOptions) {
    this.#options = options
  }

  async keyOf(kid: string): Promise<CryptoKey | null> {
    const { maxAgeMs, maxStaleMs } = this.#options
    if (this.#known.keys.has(kid) && this.#age() < maxAgeMs) return this.#find(kid)
    if (this.#running !== null || this.#mayAsk()) await this.#refresh()
    if (this.#failure === null) return this.#find(kid)
    const stale = this.#age() < maxStaleMs ? this.#find(kid) : null
    if (stale !== null) return stale
    throw new VerifierUnavailableError('The keys cannot be read', { cause: this.#failure })
  }

  #find(kid: string): CryptoKey | null {
    return this.#known.keys.get(kid) ?? null
  }

  #age(): number {
    return this.#options.now() - this.#known.at
  }

  #mayAsk(): boolean {
    return this.#options.now() - this.#triedAt >= this.#options.cooldownMs
  }

  /** One request at a time, for all who wait. */
  #refresh(): Promise<void> {
    this.#running ??= this.#fetch().finally(() => {
      this.#running = null
    })
    return this.#running
  }

  async #fetch(): Promise<void> {
    const { now } = this.#options
    this.#triedAt = now()
    try {
      this.#known = { keys: await this.#read(), at: now() }
      this.#failure = null
    } catch (err) {
      this.#failure = err
    }
  }

  async #read(): Promise<ReadonlyMap<string, CryptoKey>> {
    const { url, headers = {}, timeoutMs, fetch: get } = this.#options
    const signal = AbortSignal.timeout(timeoutMs)
    const response = await get(url, {
      headers: { ...headers, accept: 'application/json' },
      redirect: 'error',
      signal,
    })
    // No authentication there: then no token is good.
    if (response.status === 404) return new Map()
    if (!response.ok) throw new Error(`The key set was answered with ${response.status}`)
    const { keys } = (await response.json()) as { keys?: unknown }
    if (!Array.isArray(keys)) throw new Error('The key set has no keys')
    return importKeys(keys as readonly JWK[])
  }
}

async function importKeys(keys: readonly JWK[]): Promise<ReadonlyMap<string, CryptoKey>> {
  const imported = new Map<string, CryptoKey>()
  for (const { kty, use, alg, kid, n, e } of keys) {
    if (kty !== 'RSA' || use !== 'sig' || alg !== 'RS256') continue
    if (kid === undefined || n === undefined || e === undefined) continue
    // Only the public members, whatever else the set has.
    imported.set(kid, (await importJWK({ kty, n, e }, 'RS256')) as CryptoKey)
  }
  return imported
}
