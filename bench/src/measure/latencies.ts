/** In milliseconds. */
export type LatencySummary = { p50: number; p99: number; max: number }

/** Keeps every value, so that percentiles are exact. */
export class Latencies {
  #values: number[] = []

  add(ms: number): void {
    this.#values.push(ms)
  }

  clear(): void {
    this.#values = []
  }

  summary(): LatencySummary {
    const [p50 = 0, p99 = 0, max = 0] = this.percentiles(0.5, 0.99, 1)
    return { p50, p99, max }
  }

  /** @param shares from 0 to 1 */
  percentiles(...shares: number[]): number[] {
    const sorted = Float64Array.from(this.#values).sort()
    return shares.map((share) => sorted[Math.ceil(share * sorted.length) - 1] ?? 0)
  }
}
