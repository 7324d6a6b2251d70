import type { OutgoingRecord } from '@surehook/kafka/producer/producer'

/** A record on its way from the WAL to Kafka. */
export type Relayed = {
  /** `null` once it is acknowledged: only its place is kept then. */
  record: OutgoingRecord | null
  readonly bytes: number
  /** By the clock of `performance.now()`. */
  readonly readAt: number
}

export type RelayLimits = {
  /**
   * From the oldest record that is not acknowledged to the newest, the acknowledged ones in between included:
   * whoever reads the slot next sends all of them again.
   */
  records: number
  /** Of the records that are not acknowledged: they are held in memory. */
  bytes: number
}

/** How far a relay reads ahead of Kafka while one partition takes nothing. */
export const relayLimits: RelayLimits = { records: 50_000, bytes: 8_000_000 }

/** The WAL up to `lsn` is safe when the first `after` records have been acknowledged. */
type Mark = { after: number; lsn: bigint }

const maxBatchRecords = 1_000
const maxBatchBytes = 1_000_000
const compactFrom = 1_000

/**
 * Records in commit order, and how far the WAL may be confirmed. Partitions acknowledge independently: what is
 * confirmed ends before the oldest record that is not acknowledged.
 */
export class RelayQueue {
  readonly #limits: RelayLimits
  /** From the oldest that is not acknowledged, at `#head`. */
  #window: Relayed[] = []
  #head = 0
  /** Position in the window of the first that was not handed out. */
  #next = 0
  /** Records that left the window. */
  #gone = 0
  #heldRecords = 0
  #heldBytes = 0
  #marks: Mark[] = []

  constructor(limits: RelayLimits) {
    this.#limits = limits
  }

  /** Records that were not handed out yet. */
  get unsent(): number {
    return this.#window.length - this.#next
  }

  /** Records that are not acknowledged, and their size. */
  get held(): { records: number; bytes: number } {
    return { records: this.#heldRecords, bytes: this.#heldBytes }
  }

  /** The record that keeps the WAL from being confirmed any further. */
  get oldest(): Relayed | undefined {
    return this.#window[this.#head]
  }

  get full(): boolean {
    return !this.#isBelow(1)
  }

  /** Low enough to go on reading after it was full. */
  get roomy(): boolean {
    return this.#isBelow(2)
  }

  push(record: OutgoingRecord): void {
    const bytes = sizeOf(record)
    this.#window.push({ record, bytes, readAt: performance.now() })
    this.#heldRecords += 1
    this.#heldBytes += bytes
  }

  /** Everything up to `lsn` has been pushed. */
  mark(lsn: bigint): void {
    const after = this.#gone + this.#window.length
    const last = this.#marks.at(-1)
    if (last?.after === after) last.lsn = lsn > last.lsn ? lsn : last.lsn
    else this.#marks.push({ after, lsn })
  }

  /** The next records to send. */
  take(): Relayed[] {
    const start = this.#next
    for (let bytes = 0; this.#next < this.#window.length; this.#next++) {
      const count = this.#next - start
      bytes += this.#window[this.#next]?.bytes ?? 0
      if (count === maxBatchRecords || (count > 0 && bytes > maxBatchBytes)) break
    }
    return this.#window.slice(start, this.#next)
  }

  acknowledged(relayed: Relayed): void {
    relayed.record = null
    this.#heldRecords -= 1
    this.#heldBytes -= relayed.bytes
    while (this.oldest?.record === null) this.#head += 1
    if (this.#head >= compactFrom || this.#head === this.#window.length) this.#compact()
  }

  /** How far the WAL may be confirmed now; `null` when no further than before. */
  confirmable(): bigint | null {
    const acknowledged = this.#gone + this.#head
    const reached = this.#marks.findIndex(({ after }) => after > acknowledged)
    const passed = this.#marks.splice(0, reached === -1 ? this.#marks.length : reached)
    return passed.at(-1)?.lsn ?? null
  }

  /** Whether everything is below the limits divided by `part`. */
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
