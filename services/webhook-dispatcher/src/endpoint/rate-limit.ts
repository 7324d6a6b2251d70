/** What a fast endpoint may start at once: a tenth of a second. Timers are no finer. */
const burstS = 0.1

/**
 * A token bucket: starts at one endpoint, a second. It holds a token, or those of a tenth of a second if that is more.
 * It begins empty at `since`, when this process got the partition: whatever the owner before has started, the two
 * together start no more than one owner would. They never start at the same time: the one before has drained, or has
 * lost its membership, before the partition moves.
 */
export class RateLimit {
  /** When the bucket was, or will have been, empty; in ms of `performance.now`. */
  #emptyAt: number

  /** @param since when it was empty */
  constructor(since: number) {
    this.#emptyAt = since
  }

  /** Takes a token. @returns false when there is none */
  take(perSecond: number, now: number): boolean {
    if (this.waitMs(perSecond, now) > 0) return false
    this.#emptyAt = this.#emptyWith(perSecond, now) + 1_000 / perSecond
    return true
  }

  /** Nothing was started with it. */
  giveBack(perSecond: number): void {
    this.#emptyAt -= 1_000 / perSecond
  }

  /** Until there is a token. */
  waitMs(perSecond: number, now: number): number {
    return Math.max(0, this.#emptyWith(perSecond, now) + 1_000 / perSecond - now)
  }

  /** Whether nothing would change if it were forgotten. */
  isFull(perSecond: number, now: number): boolean {
    return this.#emptyAt <= now - fullMs(perSecond)
  }

  /** A full bucket gets no fuller. */
  #emptyWith(perSecond: number, now: number): number {
    return Math.max(this.#emptyAt, now - fullMs(perSecond))
  }
}

const fullMs = (perSecond: number) => (1_000 * Math.max(1, burstS * perSecond)) / perSecond
