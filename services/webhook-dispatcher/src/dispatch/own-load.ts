import { type EventLoopUtilization, performance } from 'node:perf_hooks'

/** Above this share of time at work, what an endpoint seems to take is partly our own. */
const saturatedAbove = 0.85

/** Whether deliveries wait for this process rather than for their endpoints. */
export class OwnLoad {
  #last: EventLoopUtilization = performance.eventLoopUtilization()
  #saturated = false

  get saturated(): boolean {
    return this.#saturated
  }

  /** Looks at the time since the last call. */
  sample(): void {
    const now = performance.eventLoopUtilization()
    this.#saturated = performance.eventLoopUtilization(now, this.#last).utilization > saturatedAbove
    this.#last = now
  }
}
