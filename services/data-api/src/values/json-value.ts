import { accepted, type ParsedValue, refused } from './parsed-value.ts'
import { textFault } from './text-value.ts'

const maxDepth = 100

/** Checked before it is written out, so that no JSON is too deep for the stack, ours or PostgreSQL's. */
export function parseJson(value: unknown): ParsedValue {
  const fault = jsonFault(value, 1)
  return fault === null ? accepted(JSON.stringify(value)) : refused(fault)
}

function jsonFault(value: unknown, depth: number): string | null {
  if (typeof value === 'string') return textFault(value)
  // A literal such as 1e999, which JavaScript reads as Infinity and would write as null.
  if (typeof value === 'number')
    return Number.isFinite(value) ? null : 'holds a number out of range'
  if (typeof value !== 'object' || value === null) return null
  if (depth > maxDepth) return `must not be nested deeper than ${maxDepth}`
  for (const [key, inner] of Object.entries(value)) {
    const fault = textFault(key) ?? jsonFault(inner, depth + 1)
    if (fault !== null) return fault
  }
  return null
}
