/** The first attempts of an endpoint that has answered nothing yet. */
const unproven = 4

/**
 * Limits the concurrent attempts of an endpoint that is new to this process, or whose cooldown has
 * ended. It starts with few attempts and allows one more per success, which doubles the number with
 * each round of successful answers. A failure during the ramp halves it.
 */
export class SlowStart {
  readonly #most: number
  #cap: number
  #isProven = false

  constructor(most: number) {
    this.#most = most
    this.#cap = Math.min(unproven, most)
  }

  get cap(): number {
    return this.#cap
  }

  /** True if the endpoint answered the last attempt. */
  get isProven(): boolean {
    return this.#isProven
  }

  /** Starts with one attempt, after a cooldown. */
  begin(): void {
    this.#cap = 1
  }

  ended(succeeded: boolean): void {
    this.#isProven = succeeded
    // At its full size, only the circuit reacts to failures.
    if (this.#cap >= this.#most) return
    this.#cap = succeeded ? this.#cap + 1 : Math.max(1, this.#cap >>> 1)
  }
}
