import { closeLookMs } from '@surehook/contracts/circuits'
import type { CircuitStore } from './circuit-store.ts'
import type { Endpoint } from './endpoint.ts'

export type CircuitWatchDeps = {
  store: Pick<CircuitStore, 'wantedClosed' | 'writeLoads'>
  /** The endpoints of this process. */
  endpoints: () => Iterable<Pick<Endpoint<unknown>, 'id' | 'circuits' | 'inFlight'>>
}

/** The most endpoints of one Redis command. */
const atOnce = 500
/**
 * The loads expire after six intervals, so they outlast a failed write, but not their process for
 * long.
 */
const loadLastsMs = 6 * closeLookMs

/**
 * Closes open circuits on request, and stores how many attempts are in flight per endpoint. While no
 * circuit is open and nothing is in flight, it sends no command to Redis.
 */
export class CircuitWatch implements Disposable {
  readonly #deps: CircuitWatchDeps
  readonly #timer: NodeJS.Timeout
  #isLooking = false

  constructor(deps: CircuitWatchDeps) {
    this.#deps = deps
    this.#timer = setInterval(() => void this.#look(), closeLookMs)
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }

  /** The store logs its own failures, and the next look repeats what failed. */
  async #look(): Promise<void> {
    if (this.#isLooking) return
    this.#isLooking = true
    const { store, endpoints } = this.#deps
    const all = [...endpoints()]
    const open = new Map(
      all.filter(({ circuits }) => circuits.isAnyOpen).map((one) => [one.id, one]),
    )
    for (const ids of chunksOf([...open.keys()])) {
      for (const id of await store.wantedClosed(ids)) await open.get(id)?.circuits.closeByRequest()
    }
    const busy = all.filter(({ inFlight }) => inFlight > 0)
    const loads = busy.map(({ id, inFlight }) => ({ endpointId: id, inFlight }))
    for (const chunk of chunksOf(loads)) await store.writeLoads(chunk, loadLastsMs)
    this.#isLooking = false
  }
}

function* chunksOf<T>(all: readonly T[]): Generator<T[]> {
  for (let from = 0; from < all.length; from += atOnce) yield all.slice(from, from + atOnce)
}
