import type { RangeCondition } from '@surehook/contracts/filter/anchor'
import { compareCodePoints } from '@surehook/contracts/filter/values/code-points'
import { type Compare, comparerOf } from '@surehook/contracts/filter/values/compare-values'
import type { Subscription } from '../subscription.ts'

type BoundEntry = { subscription: Subscription; bound: RangeCondition; compare: Compare }

/**
 * Subscriptions with a bound on one value, sorted so that satisfied bounds come first. A lookup
 * costs a binary search plus one step per match.
 */
export class Bounds {
  /** Lists by kind of operand and direction, because only comparable operands can be sorted. */
  readonly #lists = new Map<string, BoundEntry[]>()

  get isEmpty(): boolean {
    return this.#lists.size === 0
  }

  add(subscription: Subscription, bound: RangeCondition): void {
    const list = this.#lists.get(kindOf(bound)) ?? []
    this.#lists.set(kindOf(bound), list)
    const compare = comparerOf(bound.operand, null)
    list.splice(placeOf(list, bound), 0, { subscription, bound, compare })
  }

  remove(subscription: Subscription, bound: RangeCondition): void {
    const list = this.#lists.get(kindOf(bound))
    if (list === undefined) return
    const from = placeOf(list, bound)
    const index = list.findIndex((entry, at) => at >= from && entry.subscription === subscription)
    if (index >= 0) list.splice(index, 1)
    if (list.length === 0) this.#lists.delete(kindOf(bound))
  }

  each(value: unknown, take: (found: Subscription) => void): void {
    for (const list of this.#lists.values()) {
      const end = firstIndex(list, (entry) => !isWithin(entry, value))
      for (let index = 0; index < end; index++) {
        const entry = list[index]
        if (entry !== undefined) take(entry.subscription)
      }
    }
  }
}

const isLower = ({ op }: RangeCondition) => op === 'gt' || op === 'gte'
const kindOf = (bound: RangeCondition) => `${typeof bound.operand}${isLower(bound) ? '>' : '<'}`

/** Index of the first entry that is not easier to satisfy. */
const placeOf = (list: readonly BoundEntry[], bound: RangeCondition): number =>
  firstIndex(list, (entry) => easeOf(entry.bound, bound) >= 0)

/** Negative when every value that satisfies `b` also satisfies `a`, and `a` admits more. */
function easeOf(a: RangeCondition, b: RangeCondition): number {
  const order = compareOperands(a.operand, b.operand)
  if (order !== 0) return isLower(a) ? order : -order
  return Number(isStrict(a)) - Number(isStrict(b))
}

const isStrict = ({ op }: RangeCondition) => op === 'gt' || op === 'lt'

const compareOperands = (a: string | number, b: string | number): number =>
  typeof a === 'string' && typeof b === 'string' ? compareCodePoints(a, b) : Number(a) - Number(b)

/** `compare` returns NaN for values that do not compare. Every test of NaN is false. */
function isWithin({ bound, compare }: BoundEntry, value: unknown): boolean {
  const order = compare(value)
  switch (bound.op) {
    case 'gt':
      return order > 0
    case 'gte':
      return order >= 0
    case 'lt':
      return order < 0
    case 'lte':
      return order <= 0
  }
}

/**
 * Index of the first entry for which `isPast` is true. `isPast` must be false before it and true
 * from it on.
 */
function firstIndex(list: readonly BoundEntry[], isPast: (entry: BoundEntry) => boolean): number {
  let [low, high] = [0, list.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const entry = list[middle]
    if (entry === undefined || isPast(entry)) high = middle
    else low = middle + 1
  }
  return low
}
