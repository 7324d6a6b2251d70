import type { FieldCondition, Filter } from './filter.ts'
import { operandKey } from './values/equality.ts'

export type Bound = FieldCondition & { readonly op: 'gt' | 'gte' | 'lt' | 'lte' }

/**
 * A condition without which a filter is false, for an index of filters; for filters of unknown tables.
 * `keys`: one of `valueKeys` of the value at `path` must be among them. `bound`: it must hold itself.
 */
export type Anchor =
  | { readonly path: readonly [string, ...string[]]; readonly keys: readonly string[] }
  | { readonly path: readonly [string, ...string[]]; readonly bound: Bound }

/** A longer list stands in too many places of an index. */
const maxKeys = 50

/** The anchor that lets the fewest records through, as far as that can be guessed; `null`: there is none. */
export function anchorOf(filter: Filter): Anchor | null {
  let best: Anchor | null = null
  for (const condition of conditionsOf(filter)) {
    const anchor = asAnchor(condition)
    if (anchor !== null && (best === null || rankOf(anchor) < rankOf(best))) best = anchor
  }
  return best
}

/** Those that must all hold. */
function* conditionsOf(filter: Filter): Generator<FieldCondition> {
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
      return { path, bound: { ...condition, op, operand } as Bound }
    case 'ne':
    case 'nin':
    case 'exists':
    case 'contains':
    case 'startsWith':
      return null
  }
}

const rankOf = (anchor: Anchor): number => ('keys' in anchor ? anchor.keys.length : maxKeys + 1)
