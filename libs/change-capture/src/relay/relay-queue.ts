import type { OutgoingRecord } from '@surehook/kafka/producer/producer'

/** A record that was read from the WAL and is on its way to Kafka. */
export type RelayedRecord = {
  /** `null` once Kafka has acknowledged it: only its place in the order is kept. */
  record: OutgoingRecord | null
  readonly bytes: number
  /** Time of reading by `performance.now()`, in milliseconds. */
  readonly readAt: number
}

export type RelayLimits = {
  /**
   * Most records from the oldest unacknowledged one to the newest, including acknowledged ones in
   * between. The next reader of the slot sends all of them again.
   */
  records: number
  /** Most bytes of unacknowledged records, which are held in memory. */
  bytes: number
}

/** Limits on reading ahead while a partition accepts nothing. */
export const relayLimits: RelayLimits = { records: 50_000, bytes: 8_000_000 }

/** The WAL up to `lsn` may be confirmed once the first `after` records are acknowledged. */
type Mark = { after: number; lsn: bigint }

const maxBatchRecords = 1_000
const maxBatchBytes = 1_000_000
const compactFrom = 1_000

/**
 * Records in commit order, with the WAL position that may be confirmed. Partitions acknowledge
 * independently, so the confirmed position stays before the oldest unacknowledged record.
 */
export class RelayQueue {
  readonly #limits: RelayLimits
  /** Records from the oldest unacknowledged one, which is at `#head`. */
  #window: RelayedRecord[] = []
  #head = 0
  /** Index in the window of the first record that `take` has not returned. */
  #next = 0
  /** Number of records that left the window. */
  #gone = 0
  #heldRecords = 0
  #heldBytes = 0
  #marks: Mark[] = []

  constructor(limits: RelayLimits) {
    this.#limits = limits
  }

  /** Number of records that `take` has not returned. */
  get unsent(): number {
    return this.#window.length - this.#next
  }

  /** Number and size of the unacknowledged records. */
  get held(): { records: number; bytes: number } {
    return { records: this.#heldRecords, bytes: this.#heldBytes }
  }

  /** The record that prevents the WAL from being confirmed further. */
  get oldest(): RelayedRecord | undefined {
    return this.#window[this.#head]
  }

  get full(): boolean {
    return !this.#isBelow(1)
  }

  /** Below half of each limit: reading may continue after the queue was full. */
  get roomy(): boolean {
    return this.#isBelow(2)
  }

  push(record: OutgoingRecord): void {
    const bytes = sizeOf(record)
    this.#window.push({ record, bytes, readAt: performance.now() })
    this.#heldRecords += 1
    this.#heldBytes += bytes
  }

  /** Notes that everything up to `lsn` has been pushed. */
  mark(lsn: bigint): void {
    const after = this.#gone + this.#window.length
    const last = this.#marks.at(-1)
    if (last?.after === after) last.lsn = lsn > last.lsn ? lsn : last.lsn
    else this.#marks.push({ after, lsn })
  }

  /** Returns the next batch to send. */
  take(): RelayedRecord[] {
    const start = this.#next
    for (let bytes = 0; this.#next < this.#window.length; this.#next++) {
      const count = this.#next - start
      bytes += this.#window[this.#next]?.bytes ?? 0
      if (count === maxBatchRecords || (count > 0 && bytes > maxBatchBytes)) break
    }
    return this.#window.slice(start, this.#next)
  }

  acknowledged(relayed: RelayedRecord): void {
    relayed.record = null
    this.#heldRecords -= 1
    this.#heldBytes -= relayed.bytes
    while (this.oldest?.record === null) this.#head += 1
    if (this.#head >= compactFrom || this.#head === this.#window.length) this.#compact()
  }

  /** Position up to which the WAL may be confirmed now, or `null` if it has not advanced. */
  confirmable(): bigint | null {
    const acknowledged = this.#gone + this.#head
    const reached = this.#marks.findIndex(({ after }) => after > acknowledged)
    const passed = this.#marks.splice(0, reached === -1 ? this.#marks.length : reached)
    return passed.at(-1)?.lsn ?? null
  }

  /** True if records and bytes are below the limits divided by `part`. */
  #isBelow(part: number): boolean {
    const records = this.#window.length - this.#head
    return this.#heldBytes * part < this.#limits.bytes && records * part < this.#limits.records
  }

  #compact(): void {
    this.#window = this.#window.slice(this.#head)
    this.#gone += this.#head
    this.#next -= this.#head
    this.#head = 0
  }
}

const sizeOf = ({ value }: OutgoingRecord): number => 200 + (value?.length ?? 0)
