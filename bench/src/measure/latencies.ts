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
    const sorted = Float64Array.from(this.#values).sort()
    const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? 0
    return { p50: at(0.5), p99: at(0.99), max: at(1) }
  }
}
