/** The ratio between the ends of consecutive classes. It limits how exact a percentile is. */
const growth = 1.3
/** The last class begins above a minute. */
const lastClass = 42

/** Class 0 ends at 1 ms, class n at 1.3^n ms. */
export function latencyClass(ms: number): number {
  return ms <= 1 ? 0 : Math.min(lastClass, Math.ceil(Math.log(ms) / Math.log(growth)))
}

/**
 * Returns the duration in milliseconds below which this share of the attempts stayed, interpolated
 * within its class.
 * @param counts by class
 * @returns `null` without an attempt
 */
export function percentile(counts: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  let left = share * total
  for (const [n, count] of counts.entries()) {
    if (count >= left && count > 0) return Math.round(growth ** (n - 1 + left / count) * 10) / 10
    left -= count
  }
  return Math.round(growth ** (counts.length - 1))
}
