import { type Call, openCluster } from '../client/cluster.ts'
import type { Kafka } from '../client/surface.ts'

const metadataKey = 3
/**
 * The first version whose answer has topic ids (Kafka 2.8). kafkajs supports only up to version 6.
 */
const version = 10

/**
 * Returns the id that Kafka gave the topic at its creation. A topic that was deleted and created
 * again has another id. Brokers older than Kafka 2.8 give zeros.
 */
export async function readTopicId(kafka: Kafka, topic: string): Promise<Buffer> {
  const cluster = openCluster(kafka)
  try {
    await cluster.connect()
    const broker = await cluster.brokerPool.findConnectedBroker()
    const call = broker.lookupRequest(metadataKey, { versions: [String(version)], protocol })({
      topic,
    }) as Call | null
    return call === null ? noId : ((await broker.connectionPool.send(call)) as Buffer)
  } finally {
    await cluster.disconnect()
  }
}

const noId = Buffer.alloc(16)

function protocol({ version: supported }: { version: number }) {
  return ({ topic }: { topic: string }): Call | null => {
    if (supported < version) return null
    const buffer = encodeMetadataRequest(topic)
    return {
      request: {
        apiKey: metadataKey,
        apiVersion: version,
        apiName: 'Metadata',
        encode: async () => ({ buf: buffer, buffer }),
      },
      response: {
        decode: async (bytes) => decodeTopicId(bytes),
        parse: async (answer) => answer,
      },
    }
  }
}

/**
 * Encodes https://kafka.apache.org/protocol#The_Messages_Metadata. The first byte, no tagged
 * fields, ends the request header of version 2, which kafkajs does not know.
 */
function encodeMetadataRequest(topic: string): Buffer {
  const name = Buffer.from(topic)
  const options = [0, 0, 0]
  return Buffer.concat([
    Buffer.from([0, 2]),
    noId,
    Buffer.from([name.length + 1]),
    name,
    Buffer.from([0, ...options, 0]),
  ])
}

/** Throws if the answer is not about exactly one topic. */
function decodeTopicId(bytes: Buffer): Buffer {
  const input = new ByteReader(bytes)
  input.skipTags()
  input.skip(4)
  for (let brokers = input.varint() - 1; brokers > 0; brokers--) {
    input.skip(4)
    input.skipText()
    input.skip(4)
    input.skipText()
    input.skipTags()
  }
  input.skipText()
  input.skip(4)
  const topics = input.varint() - 1
  const errorCode = input.take(2).readInt16BE()
  if (topics !== 1 || errorCode !== 0) throw new Error(`Kafka shows no topic id: ${errorCode}`)
  input.skipText()
  return Buffer.from(input.take(16))
}

/** Reads the compact encoding: a varint of length plus one precedes each string and array. */
class ByteReader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  varint(): number {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = this.take(1).readUInt8()
      value |= (byte & 127) << shift
      if (byte < 128) return value
    }
  }

  take(length: number): Buffer {
    this.#at += length
    return this.#bytes.subarray(this.#at - length, this.#at)
  }

  skip(length: number): void {
    this.take(length)
  }

  skipText(): void {
    const length = this.varint() - 1
    if (length > 0) this.skip(length)
  }

  skipTags(): void {
    for (let left = this.varint(); left > 0; left--) {
      this.varint()
      this.skip(this.varint())
    }
  }
}
