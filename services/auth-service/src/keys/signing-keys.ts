import { createPrivateKey, type KeyObject } from 'node:crypto'
import { type CryptoKey, importJWK, importPKCS8 } from 'jose'
import type { PoolClient } from 'pg'
import type { Tenant, TenantName } from '../platform/tenant.ts'
import { type KeyUse, keyAlgorithms, usesOf } from './key-pair.ts'
import { KeyRings } from './key-rings.ts'
import { currentKey, livingKeys } from './key-schedule.ts'
import type { KeyOwner, KeyStore, StoredKey } from './key-store.ts'

export type UsableKey = {
  kid: string
  publicKey: CryptoKey
  privateKey: CryptoKey
  /** The private key as `node:crypto` takes it. */
  signingKey: KeyObject
}

export type SigningKeys = {
  /** Returns the published keys, read from the database each time. */
  published(tenant: KeyOwner): Promise<StoredKey[]>
  /** Makes the keys that are missing. */
  prepare(tenant: KeyOwner): Promise<void>
  /** Returns the key that new tokens are signed or encrypted with. */
  current(tenant: Tenant, use: KeyUse): Promise<UsableKey>
  /** Returns the key with this `kid` in this tenant, or `null`. */
  find(tenant: Tenant, use: KeyUse, kid: string): Promise<UsableKey | null>
  /** Makes new keys. They are published now and used as soon as every verifier can know them. */
  rotate(tenant: TenantName): Promise<StoredKey[]>
  /**
   * Makes new keys and uses them at once. Verifiers refuse tokens under other keys once the key
   * epoch is raised, too.
   */
  replace(tx: PoolClient, tenant: TenantName): Promise<StoredKey[]>
}

export type SigningKeysOptions = {
  store: KeyStore
  maxAgeMs: number
  now?: () => number
}

export function createSigningKeys(options: SigningKeysOptions): SigningKeys {
  const { store, maxAgeMs, now = Date.now } = options
  const rings = new KeyRings({ store, maxAgeMs, now })
  const parse = createParser(store)
  return {
    async published(tenant) {
      const { keys } = await rings.load(tenant)
      const uses = usesOf(tenant.settings)
      return livingKeys(keys, now()).filter(({ use }) => uses.includes(use))
    },
    async prepare(tenant) {
      await rings.load(tenant)
    },
    async current(tenant, use) {
      const { keys } = await rings.of(tenant)
      const key = currentKey(keys, use, now())
      if (key === undefined) throw new Error('No key is active')
      const ttl = tenant.settings.accessTokenTtl
      if (key.longestTtl < ttl) {
        await store.noteTtl(tenant, key.kid, ttl)
        rings.remember(
          tenant,
          keys.map((one) => (one.kid === key.kid ? { ...one, longestTtl: ttl } : one)),
        )
      }
      return parse(tenant, key)
    },
    async find(tenant, use, kid) {
      const isIt = (key: StoredKey) => key.use === use && key.kid === kid
      const { keys } = await rings.knowing(tenant, isIt)
      const key = livingKeys(keys, now()).find(isIt)
      return key === undefined ? null : parse(tenant, key)
    },
    async rotate(tenant) {
      const keys = await store.rotate(tenant, 'all')
      rings.remember(tenant, keys)
      return keys
    },
    replace: (tx, tenant) => store.replace(tx, tenant),
  }
}

const maxParsed = 4_000

/** Caches opened and parsed keys by their sealed form, which differs between tenants. */
function createParser(store: Pick<KeyStore, 'open'>) {
  const parsed = new Map<string, Promise<UsableKey>>()
  return (tenant: TenantName, key: StoredKey): Promise<UsableKey> => {
    const known = parsed.get(key.sealedPrivateKey) ?? importKey(key, store.open(tenant, key))
    parsed.delete(key.sealedPrivateKey)
    const [oldest] = parsed.keys()
    if (parsed.size >= maxParsed && oldest !== undefined) parsed.delete(oldest)
    parsed.set(key.sealedPrivateKey, known)
    return known
  }
}

async function importKey({ kid, use, publicKey }: StoredKey, pem: string): Promise<UsableKey> {
  const alg = keyAlgorithms[use]
  const imported = await importJWK({ kty: 'RSA', ...publicKey }, alg)
  if (imported instanceof Uint8Array) throw new Error('Not a public key')
  const privateKey = await importPKCS8(pem, alg)
  return { kid, publicKey: imported, privateKey, signingKey: createPrivateKey(pem) }
}
