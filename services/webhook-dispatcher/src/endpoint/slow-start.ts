/**
 * How many attempts of an endpoint may be in flight. After a cooldown one, and one more with each
 * success: twice as many with each round of answers, as long as they are good. A failure on the way
 * halves it.
 */
export class SlowStart {
  readonly #most: number
  #cap: number

  constructor(most: number) {
    this.#most = most
    this.#cap = most
  }

  get cap(): number {
    return this.#cap
  }

  begin(): void {
    this.#cap = 1
  }

  ended(succeeded: boolean): void {
    // At its full size it is the circuit's business.
    if (this.#cap >= this.#most) return
    this.#cap = succeeded ? this.#cap + 1 : Math.max(1, this.#cap >>> 1)
  }
}
