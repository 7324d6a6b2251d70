import type { KafkaMessage } from '../client/surface.ts'
import { partitionKey, type TopicPartition } from '../topics/partition-key.ts'
import { endOf, firstOffsetOf, type ProducedBatch } from './produced-batch.ts'

/** Records from a reader's position on, without a gap. */
export type ProducedRecords = TopicPartition & {
  position: number
  messages: readonly KafkaMessage[]
}

/** Bytes of all waiting batches. A reader fetches what does not fit. */
const maxBytes = 4 * 1024 * 1024

/** Produced batches that a reader has not taken. Those of a partition follow each other. */
export class ProducedQueue {
  readonly #batches = new Map<string, ProducedBatch[]>()
  readonly #maxBytes: number
  #bytes = 0

  constructor(limit = maxBytes) {
    this.#maxBytes = limit
  }

  add(batch: ProducedBatch): void {
    const key = partitionKey(batch)
    const last = this.#batches.get(key)?.at(-1)
    if (last !== undefined && endOf(last) !== firstOffsetOf(batch)) this.#drop(key)
    if (this.#bytes + batch.bytes > this.#maxBytes) return this.#drop(key)
    const ofPartition = this.#batches.get(key) ?? []
    ofPartition.push(batch)
    this.#batches.set(key, ofPartition)
    this.#bytes += batch.bytes
  }

  /**
   * Takes the records from the reader's positions on. Drops a partition that has none at its
   * position: a fetch reads it.
   * @param positionOf returns the next offset to read, null if the partition must not be read now,
   *   and undefined if another call takes it
   * @returns `hasGap`: records are missing between a position and the next batch
   */
  take(positionOf: (at: TopicPartition) => number | null | undefined): {
    taken: ProducedRecords[]
    hasGap: boolean
  } {
    const taken: ProducedRecords[] = []
    let hasGap = false
    for (const [key, batches] of this.#batches) {
      const [first] = batches
      const position = first && positionOf(first)
      if (first === undefined || position === undefined) continue
      this.#drop(key)
      if (position === null) continue
      if (firstOffsetOf(first) > position) hasGap = true
      else taken.push(...recordsFrom(position, batches))
    }
    return { taken, hasGap }
  }

  #drop(key: string): void {
    for (const { bytes } of this.#batches.get(key) ?? []) this.#bytes -= bytes
    this.#batches.delete(key)
  }
}

/** @param batches of one partition, the first of which begins at the position or below it */
function recordsFrom(position: number, batches: readonly ProducedBatch[]): ProducedRecords[] {
  const [first] = batches
  const messages = batches
    .filter((batch) => endOf(batch) > position)
    .flatMap((batch) => batch.messages.filter(({ offset }) => Number(offset) >= position))
  if (first === undefined || messages.length === 0) return []
  return [{ topic: first.topic, partition: first.partition, position, messages }]
}
