import type { Message } from 'kafkajs'
import { UnsendableError } from '../unsendable-error.ts'

export type OutgoingRecord = {
  topic: string
  key: string | Buffer | null
  value: Buffer | null
  /** Default: chosen by the key, like the Java clients do. */
  partition?: number
  headers?: Record<string, string | Buffer>
}

/** One record to send, and the call that waits for it. */
export type Entry = { topic: string; message: Message; bytes: number; call: Call }

/** Settles when all records of one `send` call are acknowledged, or when one is refused. */
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

// The topics' limit is 2 MiB for a batch. This leaves room for Kafka's framing of a record.
const maxRecordBytes = 2 * 1024 * 1024 - 1024
const recordOverhead = 70

/** Throws `UnsendableError` when Kafka could never accept one of the records. */
export function entriesOf(records: readonly OutgoingRecord[]): {
  entries: Entry[]
  done: Promise<void>
} {
  const call = new Call(records.length)
  return { entries: records.map((record) => entryOf(record, call)), done: call.done }
}

function entryOf(record: OutgoingRecord, call: Call): Entry {
  const { topic, key, value, partition, headers } = record
  // Throws for a value that is neither text nor bytes, which no request could contain.
  const bytes =
    recordOverhead +
    Buffer.byteLength(key ?? '') +
    Buffer.byteLength(value ?? '') +
    bytesOf(headers)
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
