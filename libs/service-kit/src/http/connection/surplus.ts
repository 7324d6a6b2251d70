/** What one client may leave half-sent for more than a second, whatever it is. */
export const maxPerClient = 256
/** So many of a client are ended in one go: thousands of answers at once would hold up everybody's. */
const maxEnded = 100

/** What is to be ended now of what a client has left half-sent: the oldest ones beyond its part. */
export function surplusOf<T>(oldestFirst: readonly T[]): readonly T[] {
  return oldestFirst.slice(0, Math.min(maxEnded, Math.max(0, oldestFirst.length - maxPerClient)))
}
