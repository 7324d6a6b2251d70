import type { Clock } from '../src/clock.ts'

type Timer = { at: number; run: () => void }

/** Time that passes only in `run`. Between two timers everything else comes to rest. */
export class VirtualClock implements Clock {
  #now = 1_000_000
  #timers = new Set<Timer>()

  now(): number {
    return this.#now
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.#now + ms, run: callback }
    this.#timers.add(timer)
    return () => void this.#timers.delete(timer)
  }

  /** The laptop sleeps: the time is another one, and no timer ran. */
  sleep(ms: number): void {
    this.#now += ms
    for (const timer of this.#timers) timer.at += ms
  }

  async run(ms: number): Promise<void> {
    const end = this.#now + ms
    await atRest()
    for (let next = this.#next(end); next; next = this.#next(end)) {
      this.#timers.delete(next)
      this.#now = Math.max(this.#now, next.at)
      next.run()
      await atRest()
    }
    this.#now = end
  }

  #next(end: number): Timer | undefined {
    const due = [...this.#timers].filter(({ at }) => at <= end)
    return due.sort((a, b) => a.at - b.at)[0]
  }
}

/** All promises that need no timer are settled. */
const atRest = () => new Promise((resolve) => setImmediate(resolve))
