import type { RangeCondition } from '@surehook/contracts/filter/anchor'
import { compareCodePoints } from '@surehook/contracts/filter/values/code-points'
import { type Compare, comparerOf } from '@surehook/contracts/filter/values/compare-values'

type RangeBound = Pick<RangeCondition, 'op' | 'operand'>
type BoundEntry = {
  readonly row: number
  readonly operand: string | number
  /** Made when it is first needed: a lookup needs few of a list. */
  compare: Compare | undefined
}

/**
 * Subscriptions with a bound on one value, as rows, sorted so that satisfied bounds come first. A
 * lookup costs a binary search plus one step per match.
 */
export class Bounds {
  /** Lists by kind of operand and operator, because only comparable operands can be sorted. */
  readonly #lists = new Map<string, { op: RangeBound['op']; entries: BoundEntry[] }>()

  get isEmpty(): boolean {
    return this.#lists.size === 0
  }

  add(row: number, { op, operand }: RangeBound): void {
    const kind = `${typeof operand} ${op}`
    const list = this.#lists.get(kind) ?? { op, entries: [] }
    this.#lists.set(kind, list)
    list.entries.splice(placeOf(list.entries, { op, operand }), 0, {
      row,
      operand,
      compare: undefined,
    })
  }

  remove(row: number, { op, operand }: RangeBound): void {
    const kind = `${typeof operand} ${op}`
    const { entries = [] } = this.#lists.get(kind) ?? {}
    const from = placeOf(entries, { op, operand })
    const index = entries.findIndex((entry, at) => at >= from && entry.row === row)
    if (index >= 0) entries.splice(index, 1)
    if (entries.length === 0) this.#lists.delete(kind)
  }

  each(value: unknown, take: (row: number) => void): void {
    for (const { op, entries } of this.#lists.values()) {
      const end = firstIndex(entries, (entry) => !isWithin(entry, op, value))
      for (let index = 0; index < end; index++) {
        const entry = entries[index]
        if (entry !== undefined) take(entry.row)
      }
    }
  }
}

/** Index of the first entry that is not easier to satisfy. */
const placeOf = (entries: readonly BoundEntry[], { op, operand }: RangeBound): number =>
  firstIndex(entries, (entry) => {
    const order = compareOperands(entry.operand, operand)
    return op === 'gt' || op === 'gte' ? order >= 0 : order <= 0
  })

const compareOperands = (a: string | number, b: string | number): number =>
  typeof a === 'string' && typeof b === 'string' ? compareCodePoints(a, b) : Number(a) - Number(b)

/** `compare` returns NaN for values that do not compare. Every test of NaN is false. */
function isWithin(entry: BoundEntry, op: RangeBound['op'], value: unknown): boolean {
  entry.compare ??= comparerOf(entry.operand, null)
  const order = entry.compare(value)
  switch (op) {
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
