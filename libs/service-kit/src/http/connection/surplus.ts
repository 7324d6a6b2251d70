/** Most heads or bodies that one client may leave incomplete for more than a second. */
export const maxPerClient = 256
/**
 * Most that are ended at once: thousands of responses in one turn would delay all other clients.
 */
const maxEnded = 100

/** Returns the incomplete requests of a client to end now: the oldest beyond its limit. */
export function surplusOf<T>(oldestFirst: readonly T[]): readonly T[] {
  return oldestFirst.slice(0, Math.min(maxEnded, Math.max(0, oldestFirst.length - maxPerClient)))
}
