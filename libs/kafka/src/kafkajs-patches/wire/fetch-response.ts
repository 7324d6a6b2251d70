/** A record in the form that kafkajs passes on. */
export type FetchedRecord = {
  magicByte: number
  attributes: number
  timestamp: string
  offset: string
  key: Buffer | null
  value: Buffer | null
  headers: Record<string, unknown>
  isControlRecord: boolean
}

export type FetchedPartition = {
  partition: number
  errorCode: number
  highWatermark: string
  lastStableOffset: string
  lastStartOffset: string
  abortedTransactions: []
  preferredReadReplica: number
  messages: FetchedRecord[]
}

export type FetchResponse = {
  throttleTime: number
  clientSideThrottleTime: number
  errorCode: number
  sessionId: number
  responses: { topicName: string; partitions: FetchedPartition[] }[]
}

const headOfBatch = 61
const beforeLength = 12
const magicAt = 16
const magic = 2
/** Attribute bits of compressed, transactional and control batches. */
const unusual = 0x37
const logAppendTime = 0x08

/**
 * Decodes a fetch response of version 11 in one pass. Returns null for features that are left to
 * kafkajs: compression, transactions and older message formats.
 * https://kafka.apache.org/documentation/#recordbatch
 */
export function decodeFetchResponse(bytes: Buffer): FetchResponse | null {
  const input = new Input(bytes)
  const clientSideThrottleTime = input.int32()
  const errorCode = input.int16()
  const sessionId = input.int32()
  const responses: FetchResponse['responses'] = []
  for (let topics = input.int32(); topics > 0; topics--) {
    const topicName = input.text(input.int16())
    const partitions: FetchedPartition[] = []
    for (let left = input.int32(); left > 0; left--) {
      const partition = decodePartition(input)
      if (partition === null) return null
      partitions.push(partition)
    }
    responses.push({ topicName, partitions })
  }
  if (!input.hasRecords) rememberEmpty(responses)
  // The client must wait for the throttle time itself (KIP-219), so that of the broker is 0.
  return { throttleTime: 0, clientSideThrottleTime, errorCode, sessionId, responses }
}

/**
 * End offsets by the record array of a partition, because kafkajs passes on nothing else of the
 * response.
 */
const emptyUpTo = new WeakMap<object, number>()

/**
 * Returns the end of a partition's readable log if a fetch found no records in it. Nothing is
 * readable from the fetched offset up to that end. Returns `undefined` if any partition of the
 * response had records, because those of this one may not have fitted, and if the end is unknown.
 * @param messages record array of a partition in a decoded response
 */
export function endOfEmpty(messages: object): number | undefined {
  return emptyUpTo.get(messages)
}

function rememberEmpty(responses: FetchResponse['responses']): void {
  for (const { partitions } of responses) {
    for (const { messages, errorCode, lastStableOffset } of partitions) {
      if (errorCode === 0) emptyUpTo.set(messages, Number(lastStableOffset))
    }
  }
}

function decodePartition(input: Input): FetchedPartition | null {
  const partition = input.int32()
  const errorCode = input.int16()
  const highWatermark = String(input.int64())
  const lastStableOffset = String(input.int64())
  const lastStartOffset = String(input.int64())
  if (input.int32() > 0) return null
  const preferredReadReplica = input.int32()
  const size = input.int32()
  const messages: FetchedRecord[] = []
  if (size > 0) {
    input.hasRecords = true
    const end = input.at + size
    if (!decodeBatches(input, end, messages)) return null
    input.at = end
  }
  return {
    ...{ partition, errorCode, highWatermark, lastStableOffset, lastStartOffset },
    ...{ abortedTransactions: [], preferredReadReplica, messages },
  }
}

/** @returns false if the batches use a feature that is left to kafkajs */
function decodeBatches(input: Input, end: number, into: FetchedRecord[]): boolean {
  // The last batch may be incomplete.
  while (end - input.at >= headOfBatch) {
    const start = input.at
    const next = start + beforeLength + input.int32At(start + 8)
    if (next > end) return true
    if (input.int8At(start + magicAt) !== magic) return false
    const attributes = input.int16At(start + 21)
    if (attributes & unusual) return false
    decodeRecords(input, { start, attributes }, into)
    input.at = next
  }
  return true
}

function decodeRecords(
  input: Input,
  { start, attributes }: { start: number; attributes: number },
  into: FetchedRecord[],
): void {
  const baseOffset = input.int64At(start)
  const baseTime = input.int64At(start + 27)
  const appended = attributes & logAppendTime ? String(input.int64At(start + 35)) : null
  input.at = start + headOfBatch - 4
  for (let left = input.int32(); left > 0; left--) {
    const recordEnd = input.varint() + input.at
    const ofRecord = input.int8()
    const timestamp = appended ?? String(baseTime + input.varlong())
    if (appended !== null) input.varlong()
    const offset = String(baseOffset + input.varint())
    const key = input.bytes(input.varint())
    const value = input.bytes(input.varint())
    const headers = decodeHeaders(input)
    into.push({
      ...{ magicByte: magic, attributes: ofRecord, timestamp, offset, key, value, headers },
      isControlRecord: false,
    })
    input.at = recordEnd
  }
}

/** Several headers with one name are collected in order. */
function decodeHeaders(input: Input): Record<string, unknown> {
  const headers: Record<string, unknown> = {}
  for (let left = input.varint(); left > 0; left--) {
    const name = input.text(input.varint())
    const value = input.bytes(input.varint())
    const known = headers[name]
    if (known === undefined) headers[name] = value
    else if (Array.isArray(known)) known.push(value)
    else headers[name] = [known, value]
  }
  return headers
}

class Input {
  at = 0
  hasRecords = false
  readonly #from: Buffer

  constructor(from: Buffer) {
    this.#from = from
  }

  int8At(at: number): number {
    return this.#from.readInt8(at)
  }

  int16At(at: number): number {
    return this.#from.readInt16BE(at)
  }

  int32At(at: number): number {
    return this.#from.readInt32BE(at)
  }

  /** Offsets and times are far below 2 ** 53. */
  int64At(at: number): number {
    return this.#from.readInt32BE(at) * 2 ** 32 + this.#from.readUInt32BE(at + 4)
  }

  int8(): number {
    return this.int8At(this.at++)
  }

  int16(): number {
    this.at += 2
    return this.int16At(this.at - 2)
  }

  int32(): number {
    this.at += 4
    return this.int32At(this.at - 4)
  }

  int64(): number {
    this.at += 8
    return this.int64At(this.at - 8)
  }

  varint(): number {
    let read = 0
    for (let shift = 0; ; shift += 7) {
      const byte = this.#from[this.at++] as number
      read |= (byte & 127) << shift
      if (byte < 128) return (read >>> 1) ^ -(read & 1)
    }
  }

  varlong(): number {
    let read = 0
    for (let unit = 1; ; unit *= 128) {
      const byte = this.#from[this.at++] as number
      read += (byte & 127) * unit
      if (byte < 128) return read % 2 === 0 ? read / 2 : -(read + 1) / 2
    }
  }

  bytes(length: number): Buffer | null {
    if (length < 0) return null
    this.at += length
    return this.#from.subarray(this.at - length, this.at)
  }

  text(length: number): string {
    this.at += length
    return this.#from.toString('utf8', this.at - length, this.at)
  }
}
