import type { Anchor } from '@surehook/contracts/filter/anchor'
import { valueKeys } from '@surehook/contracts/filter/values/equality'
import { fieldValue } from '@surehook/contracts/filter/values/field-value'
import { compiledFilter } from '../compiled-filter.ts'
import { Bounds } from './bounds.ts'
import { eachRow, type RowSet, withoutRow, withRow } from './row-set.ts'

type JsonRecord = Readonly<Record<string, unknown>>
type FilterTest = (filter: string | null) => boolean

/** Index of the subscriptions whose anchor is on one path. Most paths need one of the two parts. */
class PathIndex {
  readonly path: Anchor['path']
  /** By hash of the key. A number needs less memory than a text. */
  #byKey: Map<number, RowSet> | null = null
  #bounds: Bounds | null = null

  constructor(path: Anchor['path']) {
    this.path = path
  }

  get isEmpty(): boolean {
    return this.#byKey === null && this.#bounds === null
  }

  add(row: number, anchor: Anchor): void {
    if ('bound' in anchor) {
      this.#bounds ??= new Bounds()
      this.#bounds.add(row, anchor.bound)
      return
    }
    this.#byKey ??= new Map()
    for (const key of anchor.keys) {
      const hash = hashOf(key)
      this.#byKey.set(hash, withRow(this.#byKey.get(hash), row))
    }
  }

  remove(row: number, anchor: Anchor): void {
    if ('bound' in anchor) {
      this.#bounds?.remove(row, anchor.bound)
      if (this.#bounds?.isEmpty === true) this.#bounds = null
    } else {
      for (const key of anchor.keys) this.#removeKey(hashOf(key), row)
    }
  }

  each(record: JsonRecord, take: (row: number) => void): void {
    const value = fieldValue(record, this.path)
    if (this.#byKey !== null) {
      for (const key of valueKeys(value)) eachRow(this.#byKey.get(hashOf(key)), take)
    }
    this.#bounds?.each(value, take)
  }

  #removeKey(hash: number, row: number): void {
    const left = withoutRow(this.#byKey?.get(hash), row)
    if (left === undefined) this.#byKey?.delete(hash)
    else this.#byKey?.set(hash, left)
    if (this.#byKey?.size === 0) this.#byKey = null
  }
}

/** FNV-1a of the UTF-16 code units, with 31 bits, so that V8 keeps it as a small integer. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193)
  return (hash >>> 1) | 0
}

/**
 * Subscriptions of one table with the same set of events, as rows. It finds all that match a
 * record, and perhaps some that do not. Anchored filters are found by the record's value: a lookup
 * costs one step per indexed path, not one per subscription. Among the others, equal filters are
 * evaluated once.
 */
export class Candidates {
  readonly #byPath = new Map<string, PathIndex>()
  readonly #byFilter = new Map<string | null, RowSet>()

  get isEmpty(): boolean {
    return this.#byFilter.size === 0 && this.#byPath.size === 0
  }

  /** Adding a row with the same filter again changes nothing, unless the filter has a bound. */
  add(row: number, filter: string | null): void {
    const anchor = anchorOf(filter)
    if (anchor === null) {
      this.#byFilter.set(filter, withRow(this.#byFilter.get(filter), row))
      return
    }
    const path = anchor.path.join('.')
    const index = this.#byPath.get(path) ?? new PathIndex(anchor.path)
    this.#byPath.set(path, index)
    index.add(row, anchor)
  }

  /** @param filter with which the row was added */
  remove(row: number, filter: string | null): void {
    const anchor = anchorOf(filter)
    if (anchor === null) {
      const left = withoutRow(this.#byFilter.get(filter), row)
      if (left === undefined) this.#byFilter.delete(filter)
      else this.#byFilter.set(filter, left)
      return
    }
    const path = anchor.path.join('.')
    const index = this.#byPath.get(path)
    index?.remove(row, anchor)
    if (index?.isEmpty === true) this.#byPath.delete(path)
  }

  /** Calls `take` with each row that may match the record, perhaps more than once. */
  each(record: JsonRecord, passes: FilterTest, take: (row: number) => void): void {
    for (const [filter, rows] of this.#byFilter) if (passes(filter)) eachRow(rows, take)
    for (const index of this.#byPath.values()) index.each(record, take)
  }
}

const anchorOf = (filter: string | null) => (filter === null ? null : compiledFilter(filter).anchor)

/** Returns whether the record passes a filter. Equal filters are evaluated once. */
export function filterEvaluation(record: JsonRecord, changedFields: readonly string[]): FilterTest {
  const results = new Map<string, boolean>()
  return (filter) => {
    if (filter === null) return true
    const known = results.get(filter)
    if (known !== undefined) return known
    const result = compiledFilter(filter).matches(record, changedFields)
    results.set(filter, result)
    return result
  }
}
