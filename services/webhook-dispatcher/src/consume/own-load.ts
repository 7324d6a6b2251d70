import { type EventLoopUtilization, performance } from 'node:perf_hooks'

/** Above this share of time at work, what an endpoint seems to take is partly our own. */
const saturatedAbove = 0.85
/** What waits here now has waited for what this process did a moment ago. */
const staysMs = 1_000

/** Whether deliveries wait for this process rather than for their endpoints. */
export class OwnLoad {
  #last: EventLoopUtilization = performance.eventLoopUtilization()
  #saturatedAt = Number.NEGATIVE_INFINITY

  get saturated(): boolean {
    return performance.now() - this.#saturatedAt < staysMs
  }

  /** Looks at the time since the last call. */
  sample(): void {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, this.#last)
    if (utilization > saturatedAbove) this.#saturatedAt = performance.now()
    this.#last = now
  }
}
