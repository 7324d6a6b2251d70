import { createHash, createHmac } from 'node:crypto'

/**
 * What two requests have in common when they ask for the same thing: of the JSON value, whatever the
 * order of its members.
 * @param request operation, path parameters and body
 * @param key where the body holds a secret that nobody who reads the table may guess
 */
export function requestFingerprint(request: unknown, key?: Buffer): Buffer {
  const hash = key === undefined ? createHash('sha256') : createHmac('sha256', key)
  return hash.update(JSON.stringify(request, sorted)).digest()
}

function sorted(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  // As entries: integer-like names and `__proto__` keep their place and their value.
  return { object: Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)) }
}
