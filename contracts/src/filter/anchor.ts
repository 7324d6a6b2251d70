import type { FieldCondition, Filter } from './filter.ts'
import { operandKey } from './values/equality.ts'

export type RangeCondition = FieldCondition & { readonly op: 'gt' | 'gte' | 'lt' | 'lte' }

/**
 * A necessary condition of a filter on an unknown table, used as the key of a filter index. `keys`:
 * at least one of `valueKeys` of the value at `path` must be in the list. `bound`: the value at
 * `path` must satisfy the bound.
 */
export type Anchor =
  | { readonly path: readonly [string, ...string[]]; readonly keys: readonly string[] }
  | { readonly path: readonly [string, ...string[]]; readonly bound: RangeCondition }

/** Longer lists would add too many entries to the index. */
const maxKeys = 50

/** Returns the anchor that probably admits the fewest records, or `null` if the filter has none. */
export function anchorOf(filter: Filter): Anchor | null {
  let best: Anchor | null = null
  for (const condition of conditionsOf(filter)) {
    const anchor = asAnchor(condition)
    if (anchor !== null && (best === null || rankOf(anchor) < rankOf(best))) best = anchor
  }
  return best
}

/** Yields the field conditions that must all hold. */
export function* conditionsOf(filter: Filter): Generator<FieldCondition> {
  if (filter.kind === 'field') yield filter
  else if (filter.kind === 'and') for (const part of filter.of) yield* conditionsOf(part)
}

function asAnchor(condition: FieldCondition): Anchor | null {
  const { op, operand, path, type } = condition
  if (type !== null) return null
  switch (op) {
    case 'eq':
      return { path, keys: [operandKey(operand)] }
    case 'in': {
      const keys = [...new Set(operand.map((one) => operandKey(one)))]
      return keys.length <= maxKeys ? { path, keys } : null
    }
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return { path, bound: { ...condition, op, operand } as RangeCondition }
    case 'ne':
    case 'nin':
    case 'exists':
    case 'contains':
    case 'startsWith':
      return null
  }
}

const rankOf = (anchor: Anchor): number => ('keys' in anchor ? anchor.keys.length : maxKeys + 1)
