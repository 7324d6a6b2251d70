import { VerifierUnavailableError } from '../token-error.ts'

/**
 * Limits concurrent work to `room` slots. Up to `maxWaiting` more callers wait for at most
 * `maxWaitMs` milliseconds.
 */
export class Slots {
  readonly #limits: { room: number; maxWaiting: number; maxWaitMs: number }
  readonly #waiting = new Set<() => void>()
  #taken = 0

  constructor(limits: { room: number; maxWaiting: number; maxWaitMs: number }) {
    this.#limits = limits
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#taken < this.#limits.room) this.#taken++
    else await this.#freed()
    try {
      return await work()
    } finally {
      this.#free()
    }
  }

  #freed(): Promise<void> {
    const { maxWaiting, maxWaitMs } = this.#limits
    if (this.#waiting.size >= maxWaiting) return Promise.reject(tooMany())
    return new Promise((resolve, reject) => {
      const enter = () => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        this.#waiting.delete(enter)
        reject(tooMany())
      }, maxWaitMs)
      timer.unref()
      this.#waiting.add(enter)
    })
  }

  /** Passes the slot to the caller that has waited longest. */
  #free(): void {
    const [enter] = this.#waiting
    if (enter === undefined) {
      this.#taken--
      return
    }
    this.#waiting.delete(enter)
    enter()
  }
}

const tooMany = () => new VerifierUnavailableError('Too many tokens wait to be verified')
