import type { DeliveryJob } from '@surehook/contracts/events'
import type { Made, Transition, Transitions } from './transitions.ts'

/** How long a job waits after a fault of ours before it is tried again. */
const afterFaultMs = 2_000

/** `failed` when Kafka did not take all of it, after a while; `revoked` when the partition is not ours any more. */
export type Routed = Made | 'failed' | 'revoked'

export type DeliveryRouterOptions = {
  transitions: Pick<Transitions, 'make'>
  lease: AbortSignal
  onFault: (err: unknown) => void
}

/** Brings the jobs of a partition to their next places, and says whether they are there. */
export class DeliveryRouter {
  readonly #options: DeliveryRouterOptions
  #busy = 0

  constructor(options: DeliveryRouterOptions) {
    this.#options = options
  }

  /** Transitions that Kafka has not acknowledged yet. */
  get busy(): number {
    return this.#busy
  }

  async route(job: DeliveryJob, transition: Transition): Promise<Routed> {
    this.#busy++
    try {
      return await this.#options.transitions.make(job, transition)
    } catch (err) {
      this.#options.onFault(err)
    } finally {
      this.#busy--
    }
    return (await this.faultPassed()) ? 'failed' : 'revoked'
  }

  /** Resolves after a while. @returns false when the partition is not ours any more */
  async faultPassed(): Promise<boolean> {
    await new Promise((resolve) => setTimeout(resolve, afterFaultMs).unref())
    return !this.#options.lease.aborted
  }
}
