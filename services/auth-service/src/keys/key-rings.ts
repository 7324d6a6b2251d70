import type { Tenant } from '../platform/tenant.ts'
import { type KeyUse, usesOf } from './key-pair.ts'
import { isDueForRotation } from './key-schedule.ts'
import type { KeyOwner, KeyStore, StoredKey, TenantName } from './key-store.ts'

/** The keys of a tenant, as they were read. */
export type Ring = {
  readonly keys: readonly StoredKey[]
  readonly loadedAt: number
  /** The tenant's when they were read, or before. */
  readonly epoch: number
}

export type KeyRingsOptions = { store: KeyStore; maxAgeMs: number; now: () => number }

/** Well below the time for which a new key is published before it is used. */
const ringMaxAgeMs = 60_000
/** Between two looks for a `kid` that is not known. */
const lookAgainMs = 1_000
const maxTenants = 1_000

/** The keys of the tenants that were active last. */
export class KeyRings {
  readonly #options: KeyRingsOptions
  readonly #rings = new Map<string, Ring>()

  constructor(options: KeyRingsOptions) {
    this.#options = options
  }

  /** As the database has it now, with everything made that is missing or due. */
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

  /** To make tokens with. */
  async of(tenant: Tenant): Promise<Ring> {
    const ring = this.#ringOf(tenant)
    const isGood =
      ring !== undefined &&
      hasAll(ring.keys, usesOf(tenant.settings)) &&
      this.#ageOf(ring) < ringMaxAgeMs
    return isGood ? ring : this.load(tenant)
  }

  /** To read tokens with: makes no key, and looks again for one that it does not know. */
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

  /** Unless the keys were replaced since. */
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
