import type { DedupeStore } from './dedupe-store.ts'

type Claim = { readonly token: string; readonly until: number }

/**
 * A store for development. It forgets everything when the process ends, and the oldest ids beyond
 * `maxEntries` (default 10,000).
 */
export function memoryStore({ maxEntries = 10_000 }: { maxEntries?: number } = {}): DedupeStore {
  const claims = new Map<string, Claim>()
  const done = new Set<string>()
  return {
    async claim(id, token, leaseMs) {
      if (done.has(id)) return 'done'
      const now = performance.now()
      if ((claims.get(id)?.until ?? 0) > now) return 'busy'
      claims.set(id, { token, until: now + leaseMs })
      return 'claimed'
    },
    async complete(id) {
      claims.delete(id)
      done.add(id)
      const [oldest] = done
      if (done.size > maxEntries && oldest !== undefined) done.delete(oldest)
    },
    async release(id, token) {
      if (claims.get(id)?.token === token) claims.delete(id)
    },
  }
}
