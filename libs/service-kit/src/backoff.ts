export type Backoff = { firstMs: number; longestMs: number }

/** How long to wait after `failures` failures in a row (from 1): doubles from `firstMs` up to `longestMs`. */
export function backoffMs(failures: number, { firstMs, longestMs }: Backoff): number {
  return Math.min(firstMs * 2 ** (failures - 1), longestMs)
}
