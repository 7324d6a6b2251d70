import type { Entry } from './entry.ts'

/** Identity of an idempotent producer at a broker. */
export type ProducerIdentity = { readonly producerId: string; readonly producerEpoch: number }

/**
 * Records that are sent together. While the outcome is unknown, exactly these records are sent
 * again with the same sequence number, so that the broker recognises the repetition.
 */
export type Batch = { entries: Entry[]; bytes: number; identity: ProducerIdentity }

const maxBatchBytes = 1_000_000
const maxBatchRecords = 1_000
/** Sequence numbers have 31 bits and wrap to 0. */
const sequenceNumbers = 2 ** 31

/** The records of one partition in order. At most one batch is under way. */
export class PartitionQueue {
  readonly topic: string
  readonly partition: number
  /** Number of failed tries of the current batch. */
  failures = 0
  #entries: Entry[] = []
  #head = 0
  #batch: Batch | null = null
  #identity: ProducerIdentity | null = null
  #sequence = 0
  #bytes = 0

  constructor(topic: string, partition: number) {
    this.topic = topic
    this.partition = partition
  }

  /** Number of records that are not acknowledged. */
  get length(): number {
    return (this.#batch?.entries.length ?? 0) + this.#waiting
  }

  get bytes(): number {
    return this.#bytes
  }

  get sequence(): number {
    return this.#sequence
  }

  /** Producer of the sequence numbers, or `null` before the first batch. */
  get identity(): ProducerIdentity | null {
    return this.#identity
  }

  add(entry: Entry): void {
    this.#entries.push(entry)
    this.#bytes += entry.bytes
  }

  /** The batch to send now: the one with an unknown outcome, or the next records. */
  batch(current: ProducerIdentity): Batch {
    this.#batch ??= this.#nextBatch(current)
    return this.#batch
  }

  acknowledged(): Entry[] {
    const entries = this.#endBatch()
    this.#sequence = (this.#sequence + entries.length) % sequenceNumbers
    this.failures = 0
    return entries
  }

  /**
   * Handles a batch whose contents the broker has refused.
   * @returns its only record, or `null` after halving the batch
   */
  refusedOrHalved(): Entry | null {
    const entries = this.#batch?.entries ?? []
    if (this.#batch === null || entries.length < 2) return this.#endBatch()[0] ?? null
    const kept = entries.slice(0, entries.length >> 1)
    this.#entries = [...entries.slice(kept.length), ...this.#entries.slice(this.#head)]
    this.#head = 0
    this.#batch = { ...this.#batch, entries: kept, bytes: sizeOf(kept) }
    return null
  }

  /** Restarts the sequence numbers, because the broker does not know them any more. */
  renumber(identity: ProducerIdentity): void {
    this.#identity = identity
    this.#sequence = 0
    if (this.#batch !== null) this.#batch = { ...this.#batch, identity }
  }

  /** Removes and returns all entries, because the partition is gone or the producer is closed. */
  drain(): Entry[] {
    const entries = [...(this.#batch?.entries ?? []), ...this.#entries.slice(this.#head)]
    this.#batch = null
    this.#entries = []
    this.#head = 0
    this.#bytes = 0
    return entries
  }

  get #waiting(): number {
    return this.#entries.length - this.#head
  }

  #nextBatch(current: ProducerIdentity): Batch {
    this.#identity ??= current
    let end = this.#head
    let bytes = 0
    while (end < this.#entries.length && end - this.#head < maxBatchRecords) {
      bytes += this.#entries[end]?.bytes ?? 0
      if (bytes > maxBatchBytes && end > this.#head) break
      end += 1
    }
    const entries = this.#entries.slice(this.#head, end)
    this.#head = end
    if (this.#waiting === 0 || this.#head > 10 * maxBatchRecords) {
      this.#entries = this.#entries.slice(this.#head)
      this.#head = 0
    }
    return { entries, bytes: sizeOf(entries), identity: this.#identity }
  }

  #endBatch(): Entry[] {
    const batch = this.#batch
    this.#batch = null
    this.#bytes -= batch?.bytes ?? 0
    return batch?.entries ?? []
  }
}

const sizeOf = (entries: readonly Entry[]): number =>
  entries.reduce((sum, { bytes }) => sum + bytes, 0)
