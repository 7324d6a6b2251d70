import { valueKeys } from '@surehook/contracts/filter/equality'
import type { Subscription } from './subscription.ts'

type Bucket = Subscription | Set<Subscription>

/**
 * Subscriptions of one table and the same events. Those whose filter has an equality are found by
 * its value: looking costs one step per field that any of them names, not one per subscription.
 */
export class Candidates {
  readonly #others = new Set<Subscription>()
  readonly #byField = new Map<string, Map<string, Bucket>>()

  add(subscription: Subscription): void {
    const { equality } = subscription
    if (equality === null) {
      this.#others.add(subscription)
      return
    }
    const { field, key } = equality
    const buckets = this.#byField.get(field) ?? new Map<string, Bucket>()
    this.#byField.set(field, buckets)
    const bucket = buckets.get(key)
    // Most values have one subscription, and a set of one is ten times its size.
    if (bucket === undefined) buckets.set(key, subscription)
    else if (bucket instanceof Set) bucket.add(subscription)
    else buckets.set(key, new Set([bucket, subscription]))
  }

  /** @returns whether any is left */
  remove(subscription: Subscription): boolean {
    const { equality } = subscription
    if (equality === null) this.#others.delete(subscription)
    else this.#removeByField(subscription, equality)
    return this.#others.size > 0 || this.#byField.size > 0
  }

  #removeByField(subscription: Subscription, { field, key }: { field: string; key: string }): void {
    const buckets = this.#byField.get(field)
    const bucket = buckets?.get(key)
    if (buckets === undefined || bucket === undefined) return
    if (bucket instanceof Set) {
      bucket.delete(subscription)
      if (bucket.size > 0) return
    }
    buckets.delete(key)
    if (buckets.size === 0) this.#byField.delete(field)
  }

  /** Calls `take` with each that may match `record`; only its predicate is left to ask. */
  each(
    record: Readonly<Record<string, unknown>>,
    take: (subscription: Subscription) => void,
  ): void {
    for (const subscription of this.#others) take(subscription)
    for (const [field, buckets] of this.#byField) {
      const value = Object.hasOwn(record, field) ? record[field] : undefined
      for (const key of valueKeys(value)) {
        const bucket = buckets.get(key)
        if (bucket instanceof Set) for (const subscription of bucket) take(subscription)
        else if (bucket !== undefined) take(bucket)
      }
    }
  }
}
