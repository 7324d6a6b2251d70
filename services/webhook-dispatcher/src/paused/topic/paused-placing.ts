import type { Delivery } from '../../delivery/delivery.ts'
import { pausedMark } from '../../delivery/paused-headers.ts'
import type { PausedView } from '../paused-actions.ts'
import { type PausedQueue, positionOf, type RunLocation } from '../queues/paused-queue.ts'
import type { PausedQueues } from '../queues/paused-queues.ts'
import type { PausedRun } from '../queues/paused-run.ts'
import type { PausedReading } from './paused-reading.ts'
import type { PausedTopic } from './paused-topic.ts'

export type PausedPlacingOptions = {
  view: PausedView
  queues: PausedQueues
  topic: PausedTopic
  reading: PausedReading
}

/** Adds deliveries to their queues as they are read, and keeps the next few bodies. */
export class PausedPlacing {
  readonly #options: PausedPlacingOptions

  constructor(options: PausedPlacingOptions) {
    this.#options = options
  }

  /** Adds a delivery that was read for the first time. */
  first(queue: PausedQueue, delivery: Delivery): void {
    if (this.#waits(queue, delivery)) return
    const { near } = this.#options.queues
    const owner = queue.place(positionOf(delivery), { ...this.#locationOf(delivery), near })
    if (owner !== undefined) this.#keep(queue, delivery, owner)
  }

  again(queue: PausedQueue, delivery: Delivery): void {
    const owner = queue.ownerOf(positionOf(delivery), this.#locationOf(delivery))
    if (owner === undefined || this.#keep(queue, delivery, owner)) return
    owner?.refuse(positionOf(delivery), this.#options.reading.scan)
  }

  #locationOf({ message }: Delivery): RunLocation {
    const { topic, reading } = this.#options
    const { run } = pausedMark(message)
    return { part: topic.partOf(message.offset), run, scan: reading.scan }
  }

  /** @returns whether it is not due. Then its queue knows when it is, and its body is not kept. */
  #waits(queue: PausedQueue, delivery: Delivery): boolean {
    if (queue.group === null) return false
    const dueAt = this.#options.view.dueAt(delivery)
    if (dueAt <= Date.now()) return false
    queue.putBack(positionOf(delivery), dueAt)
    return true
  }

  /** @returns false if there is no room for the body */
  #keep(queue: PausedQueue, delivery: Delivery, run: PausedRun | null): boolean {
    const { view, queues, topic, reading } = this.#options
    const { subscriptionId, arrival } = delivery.job
    if (view.slotsOf(subscriptionId, queue.id) < 0 || !topic.knows(subscriptionId)) return false
    if (!queue.mayKeep(arrival) || (run === null && this.#waits(queue, delivery))) return false
    const mayLose = (id: string) => view.slotsOf(id) <= 0
    const makeRoom = () => queues.makeRoom(queue, { mayLose, scan: reading.scan })
    if (!queues.hasRoom(subscriptionId) && !makeRoom()) return false
    queues.keep(queue, delivery, run)
    return true
  }
}
