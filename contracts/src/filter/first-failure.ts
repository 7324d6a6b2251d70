import { compileFilter } from './compile-filter.ts'
import { type ParseFilterOptions, parseFilter } from './parse-filter.ts'

export type MatchResult = {
  record: Readonly<Record<string, unknown>>
  changedFields: readonly string[]
}

export type Failure = {
  /** The path of the condition inside the filter. */
  path: string
  /** What the condition tests. Absent inside `or`, `not` and `changed`. */
  test?: { field: string; operand: unknown }
}

type Json = Readonly<Record<string, unknown>>

/**
 * Returns the path of the first condition that does not hold, in written order, or `null` if all
 * hold. Inside `or` and `not` no single condition is to blame, so the path ends at them.
 */
export const firstFailure = (filter: Json, of: MatchResult): string | null =>
  failureIn(filter, of)?.path ?? null

/** Like `firstFailure`, with what the condition tests. `options` are those of the filter. */
export function failureIn(
  filter: Json,
  of: MatchResult,
  options: ParseFilterOptions = {},
): Failure | null {
  for (const [key, value] of Object.entries(filter)) {
    const failed = failureOf(key, value, of, options)
    if (failed !== null) return failed
  }
  return null
}

function failureOf(
  key: string,
  value: unknown,
  of: MatchResult,
  options: ParseFilterOptions,
): Failure | null {
  const holds = (filter: Json) => matches(filter, of, options)
  if (key === 'and' && Array.isArray(value)) {
    for (const [index, part] of value.entries()) {
      const failed = failureIn(part as Json, of, options)
      if (failed !== null) return { ...failed, path: `and.${index}.${failed.path}` }
    }
    return null
  }
  if (['or', 'not', 'changed'].includes(key)) return holds({ [key]: value }) ? null : { path: key }
  const test = (path: string, operand: unknown) => ({ path, test: { field: key, operand } })
  if (!isObject(value)) return holds({ [key]: value }) ? null : test(key, value)
  for (const [operator, operand] of Object.entries(value)) {
    if (!holds({ [key]: { [operator]: operand } })) return test(`${key}.${operator}`, operand)
  }
  return null
}

function matches(
  filter: Json,
  { record, changedFields }: MatchResult,
  options: ParseFilterOptions,
): boolean {
  const parsed = parseFilter(filter, options)
  if (!parsed.ok) throw new Error('A part of a valid filter is not valid')
  return compileFilter(parsed.filter)(record, changedFields)
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
