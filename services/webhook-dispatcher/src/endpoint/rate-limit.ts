/** The time whose attempts may start at once. Timers are not more precise. */
const burstS = 0.1

/**
 * A token bucket for the attempts per second that start at one endpoint. It holds the tokens of
 * `burstS`, at least one. It is empty at `since`, when this process got the partition. So this
 * process and the owner before start no more than one owner would. The two never start attempts at
 * the same time: the owner before has drained, or has lost its membership, before the partition
 * moves.
 */
export class RateLimit {
  /** The time at which the bucket was, or will be, empty, in ms of `performance.now`. */
  #emptyAt: number

  /** @param since the time at which it was empty */
  constructor(since: number) {
    this.#emptyAt = since
  }

  /** Takes a token. Returns false if there is none. */
  take(perSecond: number, now: number): boolean {
    if (this.waitMs(perSecond, now) > 0) return false
    this.#emptyAt = this.#emptyWith(perSecond, now) + 1_000 / perSecond
    return true
  }

  /** Returns a token with which nothing was started. */
  giveBack(perSecond: number): void {
    this.#emptyAt -= 1_000 / perSecond
  }

  /** Returns the time until there is a token. */
  waitMs(perSecond: number, now: number): number {
    return Math.max(0, this.#emptyWith(perSecond, now) + 1_000 / perSecond - now)
  }

  /** Tells whether the bucket is full, so that a new one would behave the same. */
  isFull(perSecond: number, now: number): boolean {
    return this.#emptyAt <= now - fullMs(perSecond)
  }

  /** Tokens above the capacity are lost, so the bucket counts as empty no earlier than this. */
  #emptyWith(perSecond: number, now: number): number {
    return Math.max(this.#emptyAt, now - fullMs(perSecond))
  }
}

const fullMs = (perSecond: number) => (1_000 * Math.max(1, burstS * perSecond)) / perSecond
