export type Backoff = { firstMs: number; longestMs: number }

/**
 * Returns the wait in milliseconds after `failures` consecutive failures (from 1). It doubles from
 * `firstMs` up to `longestMs`.
 */
export function backoffMs(failures: number, { firstMs, longestMs }: Backoff): number {
  return Math.min(firstMs * 2 ** (failures - 1), longestMs)
}
