import type { Endpoint, StartedAttempt } from '../../endpoint/endpoint.ts'

export type StartedJob<T> = StartedAttempt<T> & { endpoint: Endpoint<T> }

/** Decides whose job starts next. */
export class Turns {
  readonly #state: { readonly mayStart: boolean }
  /** The endpoint whose turn is first when several may start. */
  #first = 0

  constructor(state: { readonly mayStart: boolean }) {
    this.#state = state
  }

  /** Yields the jobs that may start at one endpoint. */
  *start<T>(endpoint: Endpoint<T>): Generator<StartedJob<T>> {
    for (let next = this.#next(endpoint); next !== undefined; next = this.#next(endpoint)) {
      yield next
    }
  }

  /**
   * Yields the jobs that may start, one of each endpoint in turn, so that the first endpoint does
   * not take all slots.
   */
  *startAll<T>(all: Iterable<Endpoint<T>>): Generator<StartedJob<T>> {
    let waiting = [...all].filter(({ queued }) => queued > 0)
    const first = waiting.length === 0 ? 0 : this.#first++ % waiting.length
    waiting = [...waiting.slice(first), ...waiting.slice(0, first)]
    while (waiting.length > 0) {
      const more: Endpoint<T>[] = []
      for (const endpoint of waiting) {
        const next = this.#next(endpoint)
        if (next === undefined) continue
        more.push(endpoint)
        yield next
      }
      waiting = more
    }
  }

  #next<T>(endpoint: Endpoint<T>): StartedJob<T> | undefined {
    if (endpoint.queued === 0 || !this.#state.mayStart) return undefined
    const next = endpoint.next()
    return next && { endpoint, ...next }
  }
}
