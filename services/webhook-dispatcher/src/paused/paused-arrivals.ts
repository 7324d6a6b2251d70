import type { PausedQueues } from './queues/paused-queues.ts'
import type { PausedReading } from './topic/paused-reading.ts'
import type { PausedTopic } from './topic/paused-topic.ts'

export type PausedArrivalsOptions = {
  queues: PausedQueues
  topic: Pick<PausedTopic, 'isComplete'>
  reading: Pick<PausedReading, 'scan'>
}

/** Tells since when the subscriptions have paused deliveries. */
export class PausedArrivals {
  readonly #options: PausedArrivalsOptions

  constructor(options: PausedArrivalsOptions) {
    this.#options = options
  }

  /** True if everything on the topic was read once. */
  get isComplete(): boolean {
    return this.#options.topic.isComplete
  }

  /** The subscriptions with paused deliveries. */
  get subscriptions(): Iterable<string> {
    return this.#options.queues.keys()
  }

  /** Returns the subscriptions that got paused deliveries since the last call. */
  takeAdded(): Iterable<string> {
    return this.#options.queues.takeAdded()
  }

  /** Returns a lower bound for the arrivals of its deliveries, or undefined if none is paused. */
  leastOf(subscriptionId: string): number | undefined {
    const { queues, reading } = this.#options
    if (!queues.has(subscriptionId)) return undefined
    let least = Number.POSITIVE_INFINITY
    for (const id of queues.idsOf(subscriptionId))
      least = Math.min(least, queues.get(id)?.leastArrival(reading.scan) ?? least)
    return least
  }
}
