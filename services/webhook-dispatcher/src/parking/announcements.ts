import type { DeliveryJob } from '@surehook/contracts/events'
import type { ParkedIndex } from './parked-index.ts'

export type AnnouncementsOptions = {
  /** Whether deliveries of the subscription have the status `paused`. */
  isPaused: (subscriptionId: string) => boolean
  /** Tells that a job that waited for room only is `paused` now. */
  announce: (job: DeliveryJob) => void
}

/** So many are told at once: their subscription may have any number parked. */
const perTick = 1_000

/**
 * Parked jobs that waited for room, which nobody is told, and whose circuit opened or whose
 * subscription was deactivated since: now they are `paused`. Their bodies are read again for that.
 */
export class Announcements {
  readonly #index: ParkedIndex
  readonly #options: AnnouncementsOptions
  readonly #subscriptions = new Set<string>()
  #left = perTick

  constructor(index: ParkedIndex, options: AnnouncementsOptions) {
    this.#index = index
    this.#options = options
  }

  /** @returns whether it has jobs that are to be told */
  consider(subscriptionId: string): boolean {
    const isDue = this.#isDue(subscriptionId)
    if (isDue) this.#subscriptions.add(subscriptionId)
    return isDue
  }

  /** A parked job passes by. */
  read(job: DeliveryJob): void {
    const { subscriptionId, arrival } = job
    if (this.#left === 0 || this.#index.isAnnounced(subscriptionId, arrival)) return
    if (!this.#options.isPaused(subscriptionId)) return
    this.#left--
    this.#index.announce(subscriptionId, arrival)
    this.#options.announce(job)
  }

  /** @returns whether there is something to tell */
  tick(): boolean {
    this.#left = perTick
    return this.#subscriptions.size > 0
  }

  /** The offset to read next, `undefined` for the topic's end, null for nothing in this tick. */
  get wanted(): number | undefined | null {
    if (this.#left === 0) return null
    for (const subscriptionId of this.#subscriptions) {
      if (this.#isDue(subscriptionId)) return this.#index.firstUnannounced(subscriptionId)
      this.#subscriptions.delete(subscriptionId)
    }
    return null
  }

  #isDue(subscriptionId: string): boolean {
    return this.#index.hasUnannounced(subscriptionId) && this.#options.isPaused(subscriptionId)
  }
}
