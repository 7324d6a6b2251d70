import { compileFilter } from './compile-filter.ts'
import { parseFilter } from './parse-filter.ts'

export type MatchResult = {
  record: Readonly<Record<string, unknown>>
  changedFields: readonly string[]
}

/**
 * Returns the path of the first condition that does not hold, in written order, or `null` if all
 * hold. Inside `or` and `not` no single condition is to blame, so the path ends at them.
 */
export function firstFailure(
  filter: Readonly<Record<string, unknown>>,
  of: MatchResult,
): string | null {
  for (const [key, value] of Object.entries(filter)) {
    const failed = failureOf(key, value, of)
    if (failed !== null) return failed
  }
  return null
}

function failureOf(key: string, value: unknown, of: MatchResult): string | null {
  if (key === 'and' && Array.isArray(value)) {
    for (const [index, part] of value.entries()) {
      const failed = firstFailure(part as Record<string, unknown>, of)
      if (failed !== null) return `and.${index}.${failed}`
    }
    return null
  }
  if (['or', 'not', 'changed'].includes(key) || !isObject(value)) {
    return holds({ [key]: value }, of) ? null : key
  }
  for (const [operator, operand] of Object.entries(value)) {
    if (!holds({ [key]: { [operator]: operand } }, of)) return `${key}.${operator}`
  }
  return null
}

function holds(filter: Record<string, unknown>, { record, changedFields }: MatchResult): boolean {
  const parsed = parseFilter(filter)
  if (!parsed.ok) throw new Error('A part of a valid filter is not valid')
  return compileFilter(parsed.filter)(record, changedFields)
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
