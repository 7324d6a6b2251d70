import { LRUCache } from 'lru-cache'
import type { CircuitOptions } from './circuit.ts'
import { Circuit } from './circuit.ts'
import type { EndpointOptions } from './endpoint.ts'
import { Endpoint } from './endpoint.ts'

export type EndpointsOptions = EndpointOptions & { circuit: CircuitOptions }

/** 10,000 idle breakers cost about 100 MB: of the idle ones so many are kept. */
const maxIdle = 2_000

/** The endpoints of one partition. Busy ones and open circuits stay; idle ones are forgotten in time. */
export class Endpoints<T> {
  readonly #options: EndpointsOptions
  readonly #onChange: (endpoint: Endpoint<T>) => void
  readonly #all: LRUCache<string, Endpoint<T>>

  /** @param onChange a circuit opened or closed, or became known */
  constructor(options: EndpointsOptions, onChange: (endpoint: Endpoint<T>) => void) {
    this.#options = options
    this.#onChange = onChange
    this.#all = new LRUCache({
      max: maxIdle * 4,
      dispose: (endpoint) => endpoint.circuit.dispose(),
    })
  }

  all(): Iterable<Endpoint<T>> {
    return this.#all.values()
  }

  of(endpointId: string): Endpoint<T> {
    const known = this.#all.get(endpointId)
    if (known) return known
    this.#makeRoom()
    const circuit = new Circuit(endpointId, this.#options.circuit, (open) => {
      if (!open) endpoint.ramp()
      this.#onChange(endpoint)
    })
    const endpoint = new Endpoint<T>(endpointId, circuit, this.#options)
    this.#all.set(endpointId, endpoint)
    void circuit.restore().then(() => {
      endpoint.ready = true
      this.#onChange(endpoint)
    })
    return endpoint
  }

  dispose(): void {
    this.#all.clear()
  }

  #makeRoom(): void {
    if (this.#all.size < maxIdle) return
    for (const [id, endpoint] of [...this.#all.entries()].reverse()) {
      if (this.#all.size < maxIdle * 0.9) return
      if (endpoint.isIdle) this.#all.delete(id)
    }
  }
}
