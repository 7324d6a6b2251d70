import type { EventPayload } from '@surehook/contracts/events/event-payload'
import type { Receiver } from '@surehook/scripts/receiver/receiver'
import type { TransportName } from '../../support/change-transports.ts'
import { changeKey, keyOf } from '../../support/deliveries/ledger.ts'
import type { PlannedChange } from '../../support/deliveries/load.ts'
import type { Subscriber } from '../../support/deliveries/subscribers.ts'

const lookEveryMs = 50

type ExpectedDelivery = { transport: TransportName; madeAt: number; missing: Set<string> }

/** Tracks, during the load, which acknowledged changes have not arrived everywhere yet. */
export class Watch implements Disposable {
  readonly #receiver: Receiver
  readonly #subscribers: readonly Subscriber[]
  readonly #timer = setInterval(() => this.#look(), lookEveryMs)
  readonly #seen = new Map<string, number>()
  /** The first arrival of each change, by subscription and change. */
  readonly #arrived = new Map<string, number>()
  readonly #open = new Map<string, ExpectedDelivery>()
  readonly #complete: { transport: TransportName; madeAt: number; arrivedAt: number }[] = []

  constructor(receiver: Receiver, subscribers: readonly Subscriber[]) {
    this.#receiver = receiver
    this.#subscribers = subscribers
  }

  made({ story, change, transport }: PlannedChange): void {
    const wanting = this.#subscribers.filter(({ wants }) => wants(story))
    const missing = new Set(wanting.map(({ path }) => path))
    const expected = { transport: transport.name, madeAt: Date.now(), missing }
    this.#open.set(changeKey(story.ref, change), expected)
  }

  /** Returns how many changes acknowledged until `at` are still missing somewhere. */
  missing(at: number): number {
    let count = 0
    for (const { madeAt } of this.#open.values()) if (madeAt <= at) count++
    return count
  }

  /**
   * Returns the time of recovery, or `null` before it. The system has recovered when every change
   * acknowledged until `at` has arrived, and when on each transport a later change has arrived
   * within `withinMs`.
   */
  recoveredAt(at: number, transports: readonly TransportName[], withinMs: number): number | null {
    this.#look()
    if (this.missing(at) > 0) return null
    let recoveredAt = at
    for (const { madeAt, arrivedAt } of this.#complete) {
      if (madeAt <= at) recoveredAt = Math.max(recoveredAt, arrivedAt)
    }
    for (const name of transports) {
      const fresh = this.#complete.find(
        ({ transport, madeAt, arrivedAt }) =>
          transport === name && madeAt > at && arrivedAt - madeAt <= withinMs,
      )
      if (fresh === undefined) return null
      recoveredAt = Math.max(recoveredAt, fresh.arrivedAt)
    }
    return recoveredAt
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }

  #look(): void {
    for (const { path } of this.#subscribers) {
      const receipts = this.#receiver.receipts(path)
      for (const { body, at } of receipts.slice(this.#seen.get(path) ?? 0)) {
        const place = `${path} ${keyOf(JSON.parse(body) as EventPayload)}`
        if (!this.#arrived.has(place)) this.#arrived.set(place, at)
      }
      this.#seen.set(path, receipts.length)
    }
    for (const [key, { transport, madeAt, missing }] of this.#open) {
      const times = Array.from(missing, (path) => this.#arrived.get(`${path} ${key}`))
      if (times.some((at) => at === undefined)) continue
      this.#open.delete(key)
      this.#complete.push({ transport, madeAt, arrivedAt: Math.max(...times.map((at) => at ?? 0)) })
    }
  }
}
