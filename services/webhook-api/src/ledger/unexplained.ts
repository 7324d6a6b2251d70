import type { KafkaMessage } from '@surehook/kafka/client/surface'
import { TableFullError } from './delivery-table.ts'

export type UnexplainedJob = { index: number; webhookId: string }

/** So many may wait: a job whose change was written just after the span is one for a moment. */
const maxWaiting = 200_000
/** In the bytes of a change its id stands behind the format's 5 bytes, and its length. */
const idAt = 6
const idLength = 36

/** Jobs for which no change was found yet, by the event. */
export class Unexplained {
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

  /** Whether a record of `changes` may be the one, told without decoding it. */
  mayBeOf({ value }: KafkaMessage): boolean {
    if (value === null || value.length < idAt + idLength) return false
    return this.#byEvent.has(value.toString('latin1', idAt, idAt + idLength))
  }

  /** The jobs of an event, which wait no longer. */
  take(eventId: string): readonly UnexplainedJob[] {
    const jobs = this.#byEvent.get(eventId) ?? []
    this.#byEvent.delete(eventId)
    this.#count -= jobs.length
    return jobs
  }
}
