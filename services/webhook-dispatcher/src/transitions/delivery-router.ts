import type { DeliveryJob } from '@surehook/contracts/events'
import type { DeliveryPlaces, Transition, TransitionResult, Transitions } from './transitions.ts'

/** How long a job waits after a fault before it is tried again. */
const afterFaultMs = 2_000

/**
 * `failed`: Kafka did not take all records; returned after a pause. `revoked`: the partition is no
 * longer assigned here.
 */
export type RoutingResult = TransitionResult | 'failed' | 'revoked'

export type DeliveryRouterOptions = {
  transitions: Pick<Transitions, 'make'>
  lease: AbortSignal
  places: DeliveryPlaces
  onFault: (err: unknown) => void
}

/** Writes the next records of a partition's jobs, and returns whether Kafka has them. */
export class DeliveryRouter {
  readonly #options: DeliveryRouterOptions
  #busy = 0
  readonly #rerouting = new Set<DeliveryJob>()

  constructor(options: DeliveryRouterOptions) {
    this.#options = options
  }

  /** The number of transitions that Kafka has not acknowledged yet. */
  get busy(): number {
    return this.#busy
  }

  /** The least arrival of the jobs that lead to another URL or partition. Infinity if none does. */
  get leastRerouting(): number {
    let least = Number.POSITIVE_INFINITY
    for (const { arrival } of this.#rerouting) least = Math.min(least, arrival)
    return least
  }

  async route(job: DeliveryJob, transition: Transition): Promise<RoutingResult> {
    if (transition.kind === 'reroute') this.#rerouting.add(job)
    try {
      return await this.#make(job, transition)
    } finally {
      // It is here until Kafka has it in its new place, also during the pause after a fault.
      this.#rerouting.delete(job)
    }
  }

  async #make(job: DeliveryJob, transition: Transition): Promise<RoutingResult> {
    this.#busy++
    try {
      return await this.#options.transitions.make(job, transition, this.#options.places)
    } catch (err) {
      this.#options.onFault(err)
    } finally {
      this.#busy--
    }
    return (await this.faultPassed()) ? 'failed' : 'revoked'
  }

  /**
   * Resolves after a pause.
   * @returns false if the partition is no longer assigned here
   */
  async faultPassed(): Promise<boolean> {
    await new Promise((resolve) => setTimeout(resolve, afterFaultMs).unref())
    return !this.#options.lease.aborted
  }
}
