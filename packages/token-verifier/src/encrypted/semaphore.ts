import { VerifierUnavailableError } from '../token-error.ts'

/**
 * Admits `maxInside` callers at once. Up to `maxWaiting` more wait for at most `maxWaitMs`
 * milliseconds.
 */
export class Semaphore {
  readonly #limits: { maxInside: number; maxWaiting: number; maxWaitMs: number }
  readonly #waiting = new Set<() => void>()
  #inside = 0

  constructor(limits: { maxInside: number; maxWaiting: number; maxWaitMs: number }) {
    this.#limits = limits
  }

  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.#inside < this.#limits.maxInside) this.#inside++
    else await this.#turn()
    try {
      return await work()
    } finally {
      this.#leave()
    }
  }

  #turn(): Promise<void> {
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

  /** Passes the place of a leaving caller to the next one in the queue. */
  #leave(): void {
    const [enter] = this.#waiting
    if (enter === undefined) {
      this.#inside--
      return
    }
    this.#waiting.delete(enter)
    enter()
  }
}

const tooMany = () => new VerifierUnavailableError('Too many tokens wait to be introspected')
