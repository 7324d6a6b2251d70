import { numberFault } from '@surehook/contracts/json/exact-json'
import { accepted, type ParsedValue, refused } from './parsed-value.ts'
import { textFault } from './text-value.ts'

const maxDepth = 100

type Fault = { fault: string; path: string[] }

/**
 * Checks the value before it is serialised: nested too deep, it would overflow the stack, here or
 * in PostgreSQL.
 */
export function parseJson(value: unknown): ParsedValue {
  const found = jsonFault(value, 1) ?? numberFault(value)
  return found === null ? accepted(JSON.stringify(value)) : refused(found.fault, found.path)
}

function jsonFault(value: unknown, depth: number): Fault | null {
  const fault = typeof value === 'string' ? textFault(value) : null
  if (fault !== null) return { fault, path: [] }
  if (typeof value !== 'object' || value === null) return null
  if (depth > maxDepth) {
    return { fault: `must not be nested deeper than ${maxDepth}`, path: [] }
  }
  for (const [key, inner] of Object.entries(value)) {
    const keyFault = textFault(key)
    if (keyFault !== null) return { fault: keyFault, path: [] }
    const found = jsonFault(inner, depth + 1)
    if (found !== null) return { ...found, path: [key, ...found.path] }
  }
  return null
}
