import type { Message } from 'kafkajs'
import { UnsendableError } from './unsendable-error.ts'

export type OutgoingRecord = {
  topic: string
  key: string | Buffer | null
  value: Buffer | null
  /** Chosen by the key when absent, as the Java clients do. */
  partition?: number
  headers?: Record<string, string | Buffer>
}

/** One record on its way, and the call that waits for it. */
export type Entry = { topic: string; message: Message; bytes: number; call: Call }

class Call {
  readonly #done = Promise.withResolvers<void>()
  #open: number

  constructor(records: number) {
    this.#open = records
  }

  get done(): Promise<void> {
    return this.#done.promise
  }

  acknowledged(): void {
    this.#open -= 1
    if (this.#open === 0) this.#done.resolve()
  }

  refused(err: Error): void {
    this.#done.reject(err)
  }
}

// The topics' limit is 2 MiB for a batch; this leaves room for what Kafka puts around a record.
const maxRecordBytes = 2 * 1024 * 1024 - 1024
const maxRequestBytes = 1_000_000
// kafkajs copies the list of a partition for every message it adds to it.
const maxRequestRecords = 1_000
const recordOverhead = 70

/** Records of all callers in the order of their calls, handed out in requests of bounded size. */
export class SendQueue {
  #entries: Entry[] = []
  #head = 0

  get length(): number {
    return this.#entries.length - this.#head
  }

  /** Takes all records or, when Kafka could never take one of them, none. */
  add(records: readonly OutgoingRecord[]): Promise<void> {
    const call = new Call(records.length)
    const entries = records.map((record) => entryOf(record, call))
    for (const entry of entries) this.#entries.push(entry)
    return call.done
  }

  /** The next request: at least one record, otherwise within the bounds. */
  take(): Entry[] {
    let end = this.#head
    let bytes = 0
    while (end < this.#entries.length && end - this.#head < maxRequestRecords) {
      bytes += this.#entries[end]?.bytes ?? 0
      if (bytes > maxRequestBytes && end > this.#head) break
      end += 1
    }
    const taken = this.#entries.slice(this.#head, end)
    this.#head = end
    if (this.#head === this.#entries.length || this.#head > 10 * maxRequestRecords) this.#compact()
    return taken
  }

  #compact(): void {
    this.#entries = this.#entries.slice(this.#head)
    this.#head = 0
  }
}

function entryOf(record: OutgoingRecord, call: Call): Entry {
  const { topic, key, value, partition, headers } = record
  const bytes =
    recordOverhead + Buffer.byteLength(key ?? '') + (value?.length ?? 0) + bytesOf(headers)
  if (bytes > maxRecordBytes) {
    throw new UnsendableError(`A record of ${bytes} bytes for ${topic} is too large`)
  }
  const message: Message = { key, value }
  if (partition !== undefined) message.partition = partition
  if (headers !== undefined) message.headers = headers
  return { topic, message, bytes, call }
}

function bytesOf(headers: OutgoingRecord['headers']): number {
  if (headers === undefined) return 0
  return Object.entries(headers).reduce(
    (sum, [name, text]) => sum + Buffer.byteLength(name) + Buffer.byteLength(text) + 10,
    0,
  )
}
