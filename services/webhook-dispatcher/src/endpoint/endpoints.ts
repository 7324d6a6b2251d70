import type { AttemptSlots } from './attempt-slots.ts'
import type { CircuitOptions } from './circuit.ts'
import type { EndpointOptions } from './endpoint.ts'
import { Endpoint } from './endpoint.ts'
import { EndpointCircuits } from './endpoint-circuits.ts'

export type EndpointsOptions = Omit<EndpointOptions, 'slots'> & {
  circuit: CircuitOptions
  /** The attempts of the whole process, owned by projects. */
  slots: AttemptSlots
  /** Returns whether a webhook that delivers to the endpoint existed at the time (epoch ms). */
  wasUsedAt: (endpointId: string, at: number) => boolean
  /** Returns whether the endpoint belongs to this partition. */
  isOwned: (endpointId: string) => boolean
}

export type EndpointIdentity = { endpointId: string; projectId: string }

/**
 * A partition with fewer endpoints keeps the idle ones: 10,000 of them take about 100 MB.
 */
const maxIdle = 2_000

/**
 * The endpoints of one partition. Busy endpoints and those with open circuits stay; idle ones are
 * evicted in time.
 */
export class Endpoints<T> {
  readonly #options: EndpointsOptions
  readonly #all = new Map<string, Endpoint<T>>()
  #onChange: (endpoint: Endpoint<T>) => void = () => undefined
  /** Idle endpoints are evicted at this number. */
  #roomAt = maxIdle

  constructor(options: EndpointsOptions) {
    this.#options = options
  }

  /**
   * Calls `listener` when a circuit opened, closed or was loaded, and when a rate or a slot
   * lets an attempt start again.
   */
  onChange(listener: (endpoint: Endpoint<T>) => void): void {
    this.#onChange = listener
  }

  all(): Iterable<Endpoint<T>> {
    return this.#all.values()
  }

  of({ endpointId, projectId }: EndpointIdentity): Endpoint<T> {
    const known = this.#all.get(endpointId)
    if (known) return known
    this.#makeRoom()
    const circuits = new EndpointCircuits(endpointId, {
      circuit: this.#options.circuit,
      onChange: (open, subscriptionId) => {
        if (!open) endpoint.ramp(subscriptionId)
        this.#onChange(endpoint)
      },
      isOwned: () => this.#options.isOwned(endpointId),
    })
    const options = { ...this.#options, slots: { all: this.#options.slots, projectId } }
    const endpoint = new Endpoint<T>(endpointId, circuits, options, () => this.#onChange(endpoint))
    this.#all.set(endpointId, endpoint)
    const wasUsedAt = (at: number) => this.#options.wasUsedAt(endpointId, at)
    void circuits.receiver.restore(wasUsedAt).then(() => {
      endpoint.ready = true
      this.#onChange(endpoint)
    })
    return endpoint
  }

  /**
   * The subscription does not deliver to the endpoint any more.
   * @param isUsed returns whether another one does
   */
  left(endpointId: string, subscriptionId: string, isUsed: () => boolean): void {
    this.#all.get(endpointId)?.circuits.left(subscriptionId, isUsed)
  }

  dispose(): void {
    for (const id of [...this.#all.keys()]) this.#forget(id)
  }

  #makeRoom(): void {
    if (this.#all.size < this.#roomAt) return
    for (const [id, endpoint] of this.#all) if (endpoint.isIdle) this.#forget(id)
    this.#roomAt = Math.max(maxIdle, this.#all.size * 2)
  }

  #forget(id: string): void {
    this.#all.get(id)?.dispose()
    this.#all.delete(id)
  }
}
