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
  #rerouting = 0

  constructor(options: DeliveryRouterOptions) {
    this.#options = options
  }

  /** The number of transitions that Kafka has not acknowledged yet. */
  get busy(): number {
    return this.#busy
  }

  /** How many of these lead to another URL or partition. */
  get rerouting(): number {
    return this.#rerouting
  }

  async route(job: DeliveryJob, transition: Transition): Promise<RoutingResult> {
    this.#busy++
    const reroutes = transition.kind === 'reroute' ? 1 : 0
    this.#rerouting += reroutes
    try {
      return await this.#options.transitions.make(job, transition, this.#options.places)
    } catch (err) {
      this.#options.onFault(err)
    } finally {
      this.#busy--
      this.#rerouting -= reroutes
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
