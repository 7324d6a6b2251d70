import type { Anchor } from '@surehook/contracts/filter/anchor'
import { valueKeys } from '@surehook/contracts/filter/values/equality'
import { fieldValue } from '@surehook/contracts/filter/values/field-value'
import type { Subscription } from '../subscription.ts'
import { Bounds } from './bounds.ts'

type Bucket = Subscription | Set<Subscription>

/** Index of the subscriptions whose anchor is on one path. */
class PathIndex {
  readonly path: Anchor['path']
  readonly #byKey = new Map<string, Bucket>()
  readonly #bounds = new Bounds()

  constructor(path: Anchor['path']) {
    this.path = path
  }

  get isEmpty(): boolean {
    return this.#byKey.size === 0 && this.#bounds.isEmpty
  }

  add(subscription: Subscription, anchor: Anchor): void {
    if ('bound' in anchor) this.#bounds.add(subscription, anchor.bound)
    else for (const key of anchor.keys) this.#addKey(key, subscription)
  }

  #addKey(key: string, subscription: Subscription): void {
    const bucket = this.#byKey.get(key)
    // Most values have one subscription. A set of one needs ten times its memory.
    if (bucket === undefined) this.#byKey.set(key, subscription)
    else if (bucket instanceof Set) bucket.add(subscription)
    else this.#byKey.set(key, new Set([bucket, subscription]))
  }

  remove(subscription: Subscription, anchor: Anchor): void {
    if ('bound' in anchor) this.#bounds.remove(subscription, anchor.bound)
    else for (const key of anchor.keys) this.#removeKey(key, subscription)
  }

  #removeKey(key: string, subscription: Subscription): void {
    const bucket = this.#byKey.get(key)
    if (bucket instanceof Set) {
      bucket.delete(subscription)
      if (bucket.size > 0) return
    }
    this.#byKey.delete(key)
  }

  each(record: Readonly<Record<string, unknown>>, take: (found: Subscription) => void): void {
    const value = fieldValue(record, this.path)
    const [first, second] = valueKeys(value).map((key) => this.#byKey.get(key))
    eachOf(first, take)
    // An `in` list may contain a value both as a text and as a number.
    eachOf(second, (found) => {
      if (!isIn(first, found)) take(found)
    })
    this.#bounds.each(value, take)
  }
}

function eachOf(bucket: Bucket | undefined, take: (found: Subscription) => void): void {
  if (bucket instanceof Set) for (const subscription of bucket) take(subscription)
  else if (bucket !== undefined) take(bucket)
}

const isIn = (bucket: Bucket | undefined, one: Subscription): boolean =>
  bucket instanceof Set ? bucket.has(one) : bucket === one

/**
 * Subscriptions of one table with the same set of events. Anchored filters are found by the
 * record's value: a lookup costs one step per indexed path, not one per subscription. Among the
 * others, equal filters are evaluated once.
 */
export class Candidates {
  readonly #byPath = new Map<string, PathIndex>()
  readonly #byFilter = new Map<string, Set<Subscription>>()

  add(subscription: Subscription): void {
    const { anchor, filterKey } = subscription
    if (anchor === null) {
      const alike = this.#byFilter.get(filterKey)
      if (alike === undefined) this.#byFilter.set(filterKey, new Set([subscription]))
      else alike.add(subscription)
      return
    }
    const path = anchor.path.join('.')
    const index = this.#byPath.get(path) ?? new PathIndex(anchor.path)
    this.#byPath.set(path, index)
    index.add(subscription, anchor)
  }

  /** @returns true if any subscription remains */
  remove(subscription: Subscription): boolean {
    const { anchor, filterKey } = subscription
    if (anchor === null) {
      const alike = this.#byFilter.get(filterKey)
      alike?.delete(subscription)
      if (alike?.size === 0) this.#byFilter.delete(filterKey)
    } else {
      const path = anchor.path.join('.')
      const index = this.#byPath.get(path)
      index?.remove(subscription, anchor)
      if (index?.isEmpty) this.#byPath.delete(path)
    }
    return this.#byFilter.size > 0 || this.#byPath.size > 0
  }

  /** Calls `take` once with each subscription that matches the record. */
  each(
    record: Readonly<Record<string, unknown>>,
    changedFields: readonly string[],
    take: (subscription: Subscription) => void,
  ): void {
    for (const alike of this.#byFilter.values()) {
      const [one] = alike
      if (one === undefined || !(one.matches?.(record, changedFields) ?? true)) continue
      for (const subscription of alike) take(subscription)
    }
    for (const index of this.#byPath.values()) {
      index.each(record, (subscription) => {
        if (subscription.matches?.(record, changedFields) ?? true) take(subscription)
      })
    }
  }
}
