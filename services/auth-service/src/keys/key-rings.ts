import type { Tenant, TenantName } from '../platform/tenant.ts'
import { type KeyUse, usesOf } from './key-pair.ts'
import { isDueForRotation } from './key-schedule.ts'
import type { KeyOwner, KeyStore, StoredKey } from './key-store.ts'

/** The keys of a tenant as last read from the database. */
export type Ring = {
  readonly keys: readonly StoredKey[]
  readonly loadedAt: number
  /** The tenant's key epoch when the keys were read, or an earlier one. */
  readonly epoch: number
}

export type KeyRingsOptions = { store: KeyStore; maxAgeMs: number; now: () => number }

/** Must be well below the time that a new key is published before its first use. */
const ringMaxAgeMs = 60_000
/** The shortest time between two reads of the database for an unknown `kid`. */
const lookAgainMs = 1_000
const maxTenants = 1_000

/** Caches the keys of up to 1,000 tenants. */
export class KeyRings {
  readonly #options: KeyRingsOptions
  readonly #rings = new Map<string, Ring>()

  constructor(options: KeyRingsOptions) {
    this.#options = options
  }

  /** Reads the keys from the database, and makes those that are missing or due. */
  async load(tenant: KeyOwner): Promise<Ring> {
    const { store, maxAgeMs, now } = this.#options
    const uses = usesOf(tenant.settings)
    let keys = await store.find(tenant)
    if (!hasAll(keys, uses)) keys = await store.ensure(tenant, uses)
    const age = { nowMs: now(), maxAgeMs }
    const isDue = uses.some((use) => isDueForRotation(keys, use, age))
    if (isDue) keys = await store.rotate(tenant, 'due')
    return this.remember(tenant, keys)
  }

  /** Returns the keys to make tokens with. */
  async of(tenant: Tenant): Promise<Ring> {
    const ring = this.#ringOf(tenant)
    const isGood =
      ring !== undefined &&
      hasAll(ring.keys, usesOf(tenant.settings)) &&
      this.#ageOf(ring) < ringMaxAgeMs
    return isGood ? ring : this.load(tenant)
  }

  /**
   * Returns the keys to verify tokens with. Makes no key. Reads the database again if no known key
   * matches.
   */
  async knowing(tenant: Tenant, isIt: (key: StoredKey) => boolean): Promise<Ring> {
    const ring = this.#ringOf(tenant)
    const enough = ring?.keys.some(isIt) === true ? ringMaxAgeMs : lookAgainMs
    if (ring !== undefined && this.#ageOf(ring) < enough) return ring
    return this.remember(tenant, await this.#options.store.find(tenant))
  }

  remember(
    tenant: Pick<KeyOwner, keyof TenantName | 'keyEpoch'>,
    keys: readonly StoredKey[],
  ): Ring {
    const name = nameOf(tenant)
    const ring = { keys, loadedAt: this.#options.now(), epoch: tenant.keyEpoch ?? -1 }
    this.#rings.delete(name)
    const [oldest] = this.#rings.keys()
    if (this.#rings.size >= maxTenants && oldest !== undefined) this.#rings.delete(oldest)
    this.#rings.set(name, ring)
    return ring
  }

  /** Returns the cached keys, unless they were replaced since. */
  #ringOf(tenant: Tenant): Ring | undefined {
    const ring = this.#rings.get(nameOf(tenant))
    return ring !== undefined && ring.epoch >= tenant.keyEpoch ? ring : undefined
  }

  #ageOf({ loadedAt }: Ring): number {
    return this.#options.now() - loadedAt
  }
}

const nameOf = ({ projectId, environment }: TenantName): string => `${projectId}/${environment}`

const hasAll = (keys: readonly StoredKey[], uses: readonly KeyUse[]): boolean =>
  uses.every((use) => keys.some((key) => key.use === use))
