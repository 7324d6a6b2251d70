import type { Endpoint } from '../endpoint/endpoint.ts'

export type Started<T> = {
  endpoint: Endpoint<T>
  job: T
  /** To be called when the attempt is over; with `undefined` when there was none after all. */
  ended: (succeeded: boolean | undefined) => void
}

/** Whose job starts next. */
export class Turns {
  readonly #mayStart: () => boolean
  /** Whose turn is first when several may start. */
  #first = 0

  constructor(mayStart: () => boolean) {
    this.#mayStart = mayStart
  }

  /** What may start at one endpoint. */
  *start<T>(endpoint: Endpoint<T>): Generator<Started<T>> {
    for (let next = this.#next(endpoint); next !== undefined; next = this.#next(endpoint)) {
      yield next
    }
  }

  /** What may start at all of them, one of each in turns: whoever was first would have all there is. */
  *startAll<T>(all: Iterable<Endpoint<T>>): Generator<Started<T>> {
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

  #next<T>(endpoint: Endpoint<T>): Started<T> | undefined {
    if (endpoint.queued === 0 || !this.#mayStart()) return undefined
    const next = endpoint.next()
    return next && { endpoint, ...next }
  }
}
