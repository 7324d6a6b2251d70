import { type EventLoopUtilization, performance } from 'node:perf_hooks'

/**
 * Above this event-loop utilisation, measured endpoint latencies include the process's own delays.
 */
const saturatedAbove = 0.85
/** Jobs that wait now may have been delayed by the load of a moment ago. */
const staysMs = 1_000

/** Detects whether deliveries wait for this process rather than for their endpoints. */
export class OwnLoad {
  #last: EventLoopUtilization = performance.eventLoopUtilization()
  #saturatedAt = Number.NEGATIVE_INFINITY

  get saturated(): boolean {
    return performance.now() - this.#saturatedAt < staysMs
  }

  /** Measures the time since the last call. */
  sample(): void {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, this.#last)
    if (utilization > saturatedAbove) this.#saturatedAt = performance.now()
    this.#last = now
  }
}
