import { createRequire } from 'node:module'
import { replaceMethods } from '../replace-methods.ts'
import { crc32c } from './crc32c.ts'

type Bytes = string | Buffer | null | undefined
type Message = { key?: Bytes; value: Bytes; timestamp?: unknown; headers?: object }
type Partition = { partition: number; firstSequence?: number; messages: Message[] }
export type Produce = {
  acks: number
  timeout: number
  transactionalId?: string | null
  producerId?: { toString(): string }
  producerEpoch?: number
  compression?: number
  topicData: { topic: string; partitions: Partition[] }[]
}
/** The fields that kafkajs reads of an encoder when it writes it into another one. */
type EncodedRequest = { readonly buf: Buffer; readonly buffer: Buffer }
type Call = { request: { encode(): Promise<EncodedRequest> }; response: unknown }
type Definition = { protocol(of: { version: number }): (produce: Produce) => Call }

/**
 * Versions of the produce request with the current record batch format, up to the last one that
 * kafkajs supports.
 */
const versions = { from: 3, to: 7 }

const definition = createRequire(import.meta.url)(
  'kafkajs/src/protocol/requests/produce',
) as Definition
/** The methods as earlier patches have left them. */
const before = {} as Definition

/**
 * Call it before a process sends. kafkajs 2.2.4 encodes each record, batch, partition and topic
 * into its own buffer, copies each into the next, and computes checksums byte by byte. That is half
 * of the work of a process that mostly sends. This patch writes the same bytes once. It leaves
 * compression, transactions, headers and timestamps to kafkajs.
 */
export function encodeProducesAtOnce(): void {
  replaceMethods(definition, before, { protocol: protocolAtOnce })
}

const protocolAtOnce: Definition['protocol'] = ({ version }) => {
  const create = before.protocol({ version })
  if (version < versions.from || version > versions.to) return create
  return (produce) => {
    const { request, response } = create(produce)
    if (!isPlain(produce)) return { request, response }
    return { request: { ...request, encode: async () => encodeProduce(produce) }, response }
  }
}

function isPlain({ compression, transactionalId, topicData }: Produce): boolean {
  if (compression || transactionalId) return false
  return topicData.every(({ partitions }) =>
    partitions.every(({ messages }) => messages.every(isPlainMessage)),
  )
}

const isPlainMessage = ({ timestamp, headers }: Message) =>
  timestamp === undefined && (headers === undefined || Object.keys(headers).length === 0)

function encodeProduce(produce: Produce): EncodedRequest {
  const { acks, timeout, topicData } = produce
  const out = new ByteWriter(Buffer.allocUnsafe(boundOf(topicData)))
  out.int16(-1)
  out.int16(acks)
  out.int32(timeout)
  out.int32(topicData.length)
  for (const { topic, partitions } of topicData) {
    out.int16(Buffer.byteLength(topic))
    out.raw(topic)
    out.int32(partitions.length)
    for (const partition of partitions) encodePartition(out, partition, produce)
  }
  const buffer = out.written
  return { buf: buffer, buffer }
}

/** https://kafka.apache.org/documentation/#recordbatch */
function encodePartition(
  out: ByteWriter,
  { partition, messages, firstSequence = 0 }: Partition,
  { producerId, producerEpoch = 0 }: Produce,
): void {
  const now = BigInt(Date.now())
  out.int32(partition)
  const sizeAt = out.skip(4)
  out.int64(0n)
  const lengthAt = out.skip(4)
  // Epoch of the partition's leader, which the broker fills in, then the format version.
  out.int32(0)
  out.int8(2)
  const crcAt = out.skip(4)
  out.int16(0)
  out.int32(messages.length - 1)
  out.int64(now)
  out.int64(now)
  out.int64(BigInt(String(producerId ?? -1)))
  out.int16(producerEpoch)
  out.int32(firstSequence)
  out.int32(messages.length)
  for (const [offset, message] of messages.entries()) encodeRecord(out, offset, message)
  out.int32At(sizeAt, out.at - sizeAt - 4)
  out.int32At(lengthAt, out.at - lengthAt - 4)
  out.int32At(crcAt, crc32c(out.bytes, crcAt + 4, out.at) | 0)
}

/**
 * https://kafka.apache.org/documentation/#record with the timestamp of the batch and without
 * headers.
 */
function encodeRecord(out: ByteWriter, offset: number, { key, value }: Message): void {
  const keySize = sizeOf(key)
  const valueSize = sizeOf(value)
  const framing = 3 + sizeOfVarint(offset) + sizeOfVarint(keySize) + sizeOfVarint(valueSize)
  out.varint(framing + Math.max(keySize, 0) + Math.max(valueSize, 0))
  out.int8(0)
  out.int8(0)
  out.varint(offset)
  out.varint(keySize)
  if (key) out.raw(key)
  out.varint(valueSize)
  if (value) out.raw(value)
  out.int8(0)
}

const sizeOf = (bytes: Bytes) => (bytes == null ? -1 : Buffer.byteLength(bytes))

const zigzag = (value: number) => (value << 1) ^ (value >> 31)

function sizeOfVarint(value: number): number {
  let size = 1
  for (let rest = zigzag(value) >>> 7; rest !== 0; rest >>>= 7) size++
  return size
}

/** Upper bound of the bytes to write. A UTF-16 unit needs at most three bytes. */
function boundOf(topicData: Produce['topicData']): number {
  const most = (bytes: Bytes) =>
    typeof bytes === 'string' ? bytes.length * 3 : (bytes?.length ?? 0)
  let bound = 16
  for (const { topic, partitions } of topicData) {
    bound += most(topic) + 6
    for (const { messages } of partitions) {
      bound += 80
      for (const { key, value } of messages) bound += most(key) + most(value) + 24
    }
  }
  return bound
}

class ByteWriter {
  readonly bytes: Buffer
  at = 0

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  get written(): Buffer {
    return this.bytes.subarray(0, this.at)
  }

  /** @returns the offset of the gap */
  skip(count: number): number {
    this.at += count
    return this.at - count
  }

  int8(value: number): void {
    this.bytes[this.at++] = value
  }

  int16(value: number): void {
    this.at = this.bytes.writeInt16BE(value, this.at)
  }

  int32(value: number): void {
    this.at = this.bytes.writeInt32BE(value, this.at)
  }

  int64(value: bigint): void {
    this.at = this.bytes.writeBigInt64BE(value, this.at)
  }

  int32At(at: number, value: number): void {
    this.bytes.writeInt32BE(value, at)
  }

  varint(value: number): void {
    let rest = zigzag(value)
    for (; rest & ~127; rest >>>= 7) this.bytes[this.at++] = (rest & 127) | 128
    this.bytes[this.at++] = rest
  }

  raw(value: string | Buffer): void {
    if (typeof value === 'string') this.at += this.bytes.write(value, this.at)
    else this.at += value.copy(this.bytes, this.at)
  }
}
