import type { RequestEvent } from 'kafkajs'

/** Fetches that waited their full time at a broker and found nothing, as kafkajs reports requests. */
export class QuietFetches {
  readonly #fullWaitMs: number
  /** Per broker (`host:port`): when its last two fetches were sent, if both were quiet. */
  readonly #sent = new Map<string, { last: number; before: number }>()

  constructor(fetchWaitMs: number) {
    // Less means that the broker had data, refused, or throttled us.
    this.#fullWaitMs = fetchWaitMs * 0.8
  }

  saw({ apiName, broker, duration }: RequestEvent['payload']): void {
    if (apiName !== 'Fetch') return
    // By the clock that nobody sets: "sent after" must stay true when the time of day goes back.
    const sentAt = performance.now() - duration
    if (duration < this.#fullWaitMs) this.#sent.delete(broker)
    else this.#sent.set(broker, { last: sentAt, before: this.#sent.get(broker)?.last ?? 0 })
  }

  /** What was seen says nothing about what is read from now on. */
  reset(): void {
    this.#sent.clear()
  }

  /** Two in a row, so that the first one's leadership error would have been noticed by the second. */
  get any(): boolean {
    return [...this.#sent.values()].some(({ before }) => before > 0)
  }

  /** @param time of `performance.now()` */
  twiceSince(broker: string, time: number): boolean {
    return (this.#sent.get(broker)?.before ?? 0) > time
  }
}
