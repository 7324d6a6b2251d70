import { createHash, createHmac } from 'node:crypto'

/**
 * Hash of a request's JSON value, independent of the order of members. Equal requests have equal
 * hashes.
 * @param request operation, path parameters and body
 * @param key HMAC key for bodies with a secret, which a reader of the table must not be able to
 *   guess
 */
export function requestFingerprint(request: unknown, key?: Buffer): Buffer {
  const hash = key === undefined ? createHash('sha256') : createHmac('sha256', key)
  return hash.update(JSON.stringify(request, sorted)).digest()
}

function sorted(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  // Entries keep the order and value of integer-like names and of `__proto__`.
  return { object: Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)) }
}
