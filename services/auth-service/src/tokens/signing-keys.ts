import { type CryptoKey, importJWK, importPKCS8 } from 'jose'
import type { Tenant } from '../tenant/tenant.ts'
import type { KeyUse } from './key-pair.ts'
import { currentKey, isDueForRotation, livingKeys } from './key-schedule.ts'
import type { KeyStore, StoredKey, TenantName } from './key-store.ts'

export type UsableKey = { kid: string; publicKey: CryptoKey; privateKey: CryptoKey }

export type SigningKeys = {
  /** The keys of this moment, as they are published; read anew each time. */
  published(tenant: Tenant): Promise<StoredKey[]>
  /** What new tokens are signed, or encrypted, with. */
  current(tenant: Tenant, use: KeyUse): Promise<UsableKey>
  /** The key of this name, in this tenant alone; `null`: there is none. */
  find(tenant: TenantName, use: KeyUse, kid: string): Promise<UsableKey | null>
  /** New keys, published from now and used as soon as every verifier can know them. */
  rotate(tenant: TenantName): Promise<StoredKey[]>
}

export type SigningKeysOptions = {
  store: KeyStore
  maxAgeMs: number
  now?: () => number
}

/** Well below the time for which a new key is published before it is used. */
const ringMaxAgeMs = 60_000
const maxTenants = 1_000
/** Between two looks for a `kid` that is not known. */
const lookAgainMs = 1_000

const algorithms = { sig: 'RS256', enc: 'RSA-OAEP-256' } as const

type Ring = {
  keys: readonly StoredKey[]
  loadedAt: number
  usable: Map<string, Promise<UsableKey>>
}

export function createSigningKeys(options: SigningKeysOptions): SigningKeys {
  const { store, maxAgeMs, now = Date.now } = options
  const rings = new Map<string, Ring>()

  function remember(tenant: TenantName, keys: readonly StoredKey[]): Ring {
    const name = nameOf(tenant)
    const ring = { keys, loadedAt: now(), usable: rings.get(name)?.usable ?? new Map() }
    rings.delete(name)
    const [oldest] = rings.keys()
    if (rings.size >= maxTenants && oldest !== undefined) rings.delete(oldest)
    rings.set(name, ring)
    return ring
  }

  /** As the database has it now, with everything that is missing or due made. */
  async function load(tenant: Tenant): Promise<Ring> {
    const uses = usesOf(tenant)
    let keys = await store.find(tenant)
    if (uses.some((use) => keys.every((key) => key.use !== use))) {
      keys = await store.ensure(tenant, uses)
    }
    const age = { nowMs: now(), maxAgeMs }
    if (uses.some((use) => isDueForRotation(keys, use, age)))
      keys = await store.rotate(tenant, 'due')
    return remember(tenant, keys)
  }

  async function ringOf(tenant: Tenant): Promise<Ring> {
    const ring = rings.get(nameOf(tenant))
    const complete = usesOf(tenant).every((use) => ring?.keys.some((key) => key.use === use))
    return ring && complete && now() - ring.loadedAt < ringMaxAgeMs ? ring : load(tenant)
  }

  /** Parsed once. */
  function usable(tenant: TenantName, { usable: parsed }: Ring, key: StoredKey) {
    const id = `${key.use}/${key.kid}`
    const known = parsed.get(id) ?? importKey(key, store.open(tenant, key))
    parsed.set(id, known)
    return known
  }

  return {
    async published(tenant) {
      const { keys } = await load(tenant)
      const uses = usesOf(tenant)
      return livingKeys(keys, now()).filter(({ use }) => uses.includes(use))
    },
    async current(tenant, use) {
      const ring = await ringOf(tenant)
      const key = currentKey(ring.keys, use, now())
      if (key === undefined) throw new Error('No key is active')
      const ttl = tenant.settings.accessTokenTtl
      if (key.longestTtl < ttl) {
        await store.noteTtl(tenant, ttl)
        const keys = ring.keys.map((one) => ({ ...one, longestTtl: Math.max(one.longestTtl, ttl) }))
        remember(tenant, keys)
      }
      return usable(tenant, ring, key)
    },
    async find(tenant, use, kid) {
      const isIt = (key: StoredKey) => key.use === use && key.kid === kid
      let ring = rings.get(nameOf(tenant))
      const age = ring === undefined ? Number.POSITIVE_INFINITY : now() - ring.loadedAt
      const known = ring?.keys.some(isIt) === true
      if (ring === undefined || age >= (known ? ringMaxAgeMs : lookAgainMs)) {
        ring = remember(tenant, await store.find(tenant))
      }
      const key = livingKeys(ring.keys, now()).find(isIt)
      return key === undefined ? null : usable(tenant, ring, key)
    },
    async rotate(tenant) {
      const keys = await store.rotate(tenant, 'all')
      remember(tenant, keys)
      return keys
    },
  }
}

const nameOf = ({ projectId, environment }: TenantName): string => `${projectId}/${environment}`

const usesOf = ({ settings }: Tenant): KeyUse[] =>
  settings.encryptTokens ? ['sig', 'enc'] : ['sig']

async function importKey({ kid, use, publicKey }: StoredKey, pem: string): Promise<UsableKey> {
  const alg = algorithms[use]
  return {
    kid,
    publicKey: (await importJWK({ kty: 'RSA', ...publicKey }, alg)) as CryptoKey,
    privateKey: await importPKCS8(pem, alg),
  }
}
