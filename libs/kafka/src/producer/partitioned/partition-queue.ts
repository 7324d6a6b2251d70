import type { Entry } from './entry.ts'

/** What a broker knows an idempotent producer by. */
export type ProducerIdentity = { readonly producerId: string; readonly producerEpoch: number }

/**
 * Records that are sent together. As long as the outcome is unknown, exactly these records are sent again
 * with the same sequence number: the broker then recognises the repetition.
 */
export type Batch = { entries: Entry[]; bytes: number; identity: ProducerIdentity }

const maxBatchBytes = 1_000_000
const maxBatchRecords = 1_000
/** Sequence numbers are 31 bits wide and start again at 0. */
const sequenceNumbers = 2 ** 31

/** The records of one partition in their order. At most one batch is under way. */
export class PartitionQueue {
  readonly topic: string
  readonly partition: number
  /** Failed tries of the current batch. */
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

  /** Records that are not acknowledged yet. */
  get length(): number {
    return (this.#batch?.entries.length ?? 0) + this.#waiting
  }

  get bytes(): number {
    return this.#bytes
  }

  get sequence(): number {
    return this.#sequence
  }

  /** Whose numbers these are; `null` before the first batch. */
  get identity(): ProducerIdentity | null {
    return this.#identity
  }

  add(entry: Entry): void {
    this.#entries.push(entry)
    this.#bytes += entry.bytes
  }

  /** The batch to send now: the one whose outcome is unknown, or the next records. */
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

  /** The broker has refused the batch for what it holds: @returns the only record, or none after halving it. */
  refusedOrHalved(): Entry | null {
    const entries = this.#batch?.entries ?? []
    if (this.#batch === null || entries.length < 2) return this.#endBatch()[0] ?? null
    const kept = entries.slice(0, entries.length >> 1)
    this.#entries = [...entries.slice(kept.length), ...this.#entries.slice(this.#head)]
    this.#head = 0
    this.#batch = { ...this.#batch, entries: kept, bytes: sizeOf(kept) }
    return null
  }

  /** The broker does not know the numbers any more: the batch begins a new count. */
  renumber(identity: ProducerIdentity): void {
    this.#identity = identity
    this.#sequence = 0
    if (this.#batch !== null) this.#batch = { ...this.#batch, identity }
  }

  /** Takes everything out: the partition is gone, or the producer is closed. */
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
