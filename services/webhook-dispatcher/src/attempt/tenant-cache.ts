export type TenantCacheOptions<Value> = {
  /** The limit over all tenants. */
  max: number
  /** Called with each value that is removed. */
  dispose: (value: Value) => void
}

/** A cache that evicts the least recently used value of the tenant with the most values. */
export class TenantCache<Value extends object> {
  readonly #options: TenantCacheOptions<Value>
  /** By tenant and key, least recently used first. */
  readonly #byTenant = new Map<string, Map<string, Value>>()
  #size = 0

  constructor(options: TenantCacheOptions<Value>) {
    this.#options = options
  }

  get(tenant: string, key: string): Value | undefined {
    const mine = this.#byTenant.get(tenant)
    const value = mine?.get(key)
    if (mine === undefined || value === undefined) return undefined
    mine.delete(key)
    mine.set(key, value)
    return value
  }

  /** @param key must not be in the cache */
  add(tenant: string, key: string, value: Value): void {
    if (this.#size >= this.#options.max) this.#evict()
    const mine = this.#byTenant.get(tenant) ?? new Map<string, Value>()
    this.#byTenant.set(tenant, mine.set(key, value))
    this.#size += 1
  }

  *values(): Iterable<Value> {
    for (const values of this.#byTenant.values()) yield* values.values()
  }

  #evict(): void {
    let most = { tenant: '', values: new Map<string, Value>() }
    for (const [tenant, values] of this.#byTenant) {
      if (values.size > most.values.size) most = { tenant, values }
    }
    for (const [key, value] of most.values) {
      most.values.delete(key)
      if (most.values.size === 0) this.#byTenant.delete(most.tenant)
      this.#size -= 1
      this.#options.dispose(value)
      return
    }
  }
}
