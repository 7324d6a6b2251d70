import { type Anchor, anchorOf } from '@surehook/contracts/filter/anchor'
import { compileFilter, type RecordPredicate } from '@surehook/contracts/filter/compile-filter'
import { parseFilter } from '@surehook/contracts/filter/parse-filter'
import { UndecodableError } from '@surehook/schemas/codec'
import { NewestEntries } from '@surehook/service-kit/newest-entries'

export type CompiledFilter = {
  /** A necessary condition, by which an index finds the filter. */
  readonly anchor: Anchor | null
  readonly matches: RecordPredicate
}

/** About 1 kB each. Equal filters share one. */
const remembered = 5_000
const newest = new NewestEntries<string, CompiledFilter>(remembered)

/** Throws an `UndecodableError` when the filter is not valid. */
export function compiledFilter(text: string): CompiledFilter {
  const known = newest.get(text)
  if (known !== undefined) return known
  const parsed = parseFilter(parseJson(text))
  if (!parsed.ok) {
    const faults = parsed.violations.map(({ field, message }) => `${field}: ${message}`)
    throw new UndecodableError(`filter: ${faults.join('; ')}`)
  }
  const compiled = { anchor: anchorOf(parsed.filter), matches: compileFilter(parsed.filter) }
  newest.set(text, compiled)
  return compiled
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (err) {
    throw new UndecodableError('filter: not JSON', { cause: err })
  }
}
