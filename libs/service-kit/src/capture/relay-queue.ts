import type { OutgoingRecord } from '../kafka/producer.ts'

/** The WAL up to `lsn` is safe when `after` records have been acknowledged. */
type Mark = { after: number; lsn: bigint }

const maxBatchRecords = 1_000
const maxBatchBytes = 1_000_000

/** Records in commit order, and how far the WAL may be confirmed once they are acknowledged. */
export class RelayQueue {
  readonly #limit: { records: number; bytes: number }
  #records: OutgoingRecord[] = []
  #bytes = 0
  #pushed = 0
  #acknowledged = 0
  #marks: Mark[] = []

  constructor(limit: { records: number; bytes: number }) {
    this.#limit = limit
  }

  get length(): number {
    return this.#records.length
  }

  get full(): boolean {
    return this.#bytes >= this.#limit.bytes || this.#records.length >= this.#limit.records
  }

  /** Low enough to go on reading after it was full. */
  get roomy(): boolean {
    return this.#bytes * 2 < this.#limit.bytes && this.#records.length * 2 < this.#limit.records
  }

  push(record: OutgoingRecord): void {
    this.#records.push(record)
    this.#bytes += sizeOf(record)
    this.#pushed += 1
  }

  /** Everything up to `lsn` has been pushed. */
  mark(lsn: bigint): void {
    const last = this.#marks.at(-1)
    if (last?.after === this.#pushed) last.lsn = lsn > last.lsn ? lsn : last.lsn
    else this.#marks.push({ after: this.#pushed, lsn })
  }

  take(): OutgoingRecord[] {
    let count = 0
    let bytes = 0
    for (const record of this.#records) {
      bytes += sizeOf(record)
      if (count === maxBatchRecords || (count > 0 && bytes > maxBatchBytes)) break
      count += 1
    }
    const taken = this.#records.slice(0, count)
    this.#records = this.#records.slice(count)
    this.#bytes -= taken.reduce((sum, record) => sum + sizeOf(record), 0)
    return taken
  }

  acknowledged(count: number): void {
    this.#acknowledged += count
  }

  /** How far the WAL may be confirmed now; `null` when no further than before. */
  confirmable(): bigint | null {
    let lsn: bigint | null = null
    while (this.#marks[0] && this.#marks[0].after <= this.#acknowledged) {
      lsn = this.#marks.shift()?.lsn ?? lsn
    }
    return lsn
  }
}

const sizeOf = ({ value }: OutgoingRecord): number => 200 + (value?.length ?? 0)
