import type { KafkaMessage } from '@surehook/kafka/client/surface'
import { TableFullError } from './delivery-table.ts'

export type UnexplainedJob = { index: number; webhookId: string }

/**
 * The limit of waiting jobs. A job whose change was written just after the span also waits for a
 * moment.
 */
const maxWaiting = 200_000
/** In an encoded change, its id follows the format's 5 bytes and the length of the id. */
const idAt = 6
const idLength = 36

/** Jobs whose change was not found yet, by event. */
export class UnexplainedDeliveries {
  readonly #byEvent = new Map<string, UnexplainedJob[]>()
  #count = 0

  get isEmpty(): boolean {
    return this.#byEvent.size === 0
  }

  add(eventId: string, job: UnexplainedJob): void {
    if (this.#count === maxWaiting) throw new TableFullError()
    this.#count += 1
    const known = this.#byEvent.get(eventId)
    if (known === undefined) this.#byEvent.set(eventId, [job])
    else known.push(job)
  }

  /** Returns whether a record of `changes` may explain a waiting job, without decoding it. */
  mayBeOf({ value }: KafkaMessage): boolean {
    if (value === null || value.length < idAt + idLength) return false
    return this.#byEvent.has(value.toString('latin1', idAt, idAt + idLength))
  }

  /** Removes and returns the waiting jobs of an event. */
  take(eventId: string): readonly UnexplainedJob[] {
    const jobs = this.#byEvent.get(eventId) ?? []
    this.#byEvent.delete(eventId)
    this.#count -= jobs.length
    return jobs
  }
}
