import type { Bucket, Take, TakeResult } from './bucket.ts'

/**
 * Points that a replica took are spent within this time or given back. Over any time of T seconds
 * all replicas together therefore admit at most `burst + perSecond * (T + 1)`, and `perSecond` in
 * the long run.
 */
export const leaseMs = 1_000

/** A refusal is repeated for at least and at most so long without a look at the buckets. */
const [leastRefusalMs, longestRefusalMs] = [20, 100]

/** Points that one replica took in advance for one caller. */
export class Lease {
  #buckets: readonly Bucket[] = []
  #policy = ''
  #credits = 0
  #spent = 0
  #wanted = 1
  #endsAt = 0
  #levels: readonly number[] = []
  #askedCost = 0
  #refusedCost = 0
  #refusedUntil = 0
  #retryAt = 0

  /** Spends the cost if the lease holds it. */
  spend(cost: number, now: number): boolean {
    if (now >= this.#endsAt || this.#credits < cost) return false
    this.#credits -= cost
    this.#spent += cost
    return true
  }

  /** True for a request that costs at least as much as the one that was just refused. */
  isRefused(cost: number, now: number): boolean {
    return now < this.#refusedUntil && cost >= this.#refusedCost
  }

  /** Whether nobody asked for two leases' time. */
  isIdle(now: number): boolean {
    return now >= Math.max(this.#endsAt, this.#retryAt) + leaseMs
  }

  /**
   * Gives the rest of the lease back and asks for the next one. A lease that ended early asks for
   * twice its size, so that one lease lasts `leaseMs`.
   * @param waiting The cost of all requests that wait for the next lease.
   */
  renewal(buckets: readonly Bucket[], of: { cost: number; waiting: number; now: number }): Take {
    const { cost, waiting, now } = of
    const next = now < this.#endsAt ? this.#wanted * 2 : this.#spent
    const most = Math.min(...buckets.map(({ burst }) => burst))
    this.#wanted = Math.max(cost, waiting, Math.min(next, most))
    // The bucket has refilled meanwhile: points that come back late would exceed its burst.
    const lateS = Math.max(0, now - this.#endsAt) / 1_000
    const fastest = Math.max(...buckets.map(({ perSecond }) => perSecond))
    const returned = Math.max(0, Math.floor(this.#credits - lateS * fastest))
    this.#askedCost = cost
    this.#credits = 0
    this.#buckets = buckets
    this.#policy = buckets
      .map(({ name, burst, perSecond }) => `"${name}";q=${burst};w=${Math.ceil(burst / perSecond)}`)
      .join(', ')
    return { buckets, returned, cost, wanted: this.#wanted }
  }

  renewed({ granted, levels, waitsMs }: TakeResult, now: number): void {
    this.#credits = granted
    this.#spent = 0
    this.#levels = levels
    this.#endsAt = now + leaseMs
    if (granted > 0) return
    this.#refusedCost = this.#askedCost
    const waitMs = Math.max(...waitsMs)
    this.#retryAt = now + waitMs
    this.#refusedUntil = now + Math.min(longestRefusalMs, Math.max(leastRefusalMs, waitMs))
  }

  /** Whole seconds, at least 1. */
  retryAfterS(now: number): number {
    return Math.max(1, Math.ceil((this.#retryAt - now) / 1_000))
  }

  /**
   * The fields of draft-ietf-httpapi-ratelimit-headers-10. The quota `q` is the burst, and its
   * window `w` the seconds in which an empty bucket fills.
   */
  get headers(): { policy: string; standing: string } {
    let standing = ''
    for (let n = 0; n < this.#buckets.length; n++) {
      const { name = '', burst = 0, perSecond = 1 } = this.#buckets[n] ?? {}
      const left = Math.max(0, Math.min(burst, (this.#levels[n] ?? 0) + this.#credits))
      const fullInS = Math.ceil((burst - left) / perSecond)
      standing += `${n === 0 ? '' : ', '}"${name}";r=${Math.floor(left)};t=${fullInS}`
    }
    return { policy: this.#policy, standing }
  }
}
