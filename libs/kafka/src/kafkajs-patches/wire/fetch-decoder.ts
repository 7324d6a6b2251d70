import { createRequire } from 'node:module'
import { decodeFetchResponse, type FetchResponse } from './fetch-response.ts'

type Fetch = {
  replicaId?: number
  maxWaitTime: number
  minBytes: number
  maxBytes: number
  isolationLevel?: number
  sessionId?: number
  sessionEpoch?: number
  forgottenTopics?: unknown[]
  topics: { topic: string; partitions: FetchedFrom[] }[]
  rackId?: string
}
type FetchedFrom = { partition: number; fetchOffset: string; maxBytes: number }
/** The fields that kafkajs reads of an encoder when it writes it into another one. */
type Encoded = { readonly buf: Buffer; readonly buffer: Buffer }
type Call = {
  request: { encode(): Promise<Encoded> }
  response: { decode(bytes: Buffer): Promise<FetchResponse> }
}
type Definition = { protocol(of: { version: number }): (fetch: Fetch) => Call }

const version = 11
const readCommitted = 1
const consumer = -1

const definition = createRequire(import.meta.url)(
  'kafkajs/src/protocol/requests/fetch',
) as Definition
const { protocol } = definition

/**
 * Call it before a process consumes. kafkajs 2.2.4 reads a record with eight decoders and as many
 * BigInts, and writes a request with a buffer of 511 bytes for each partition. This patch reads and
 * writes the same bytes in one pass. It leaves unknown formats to kafkajs.
 */
export function fetchInOnePass(): void {
  definition.protocol = (of) => {
    const create = protocol(of)
    if (of.version !== version) return create
    return (fetch) => {
      const call = create(fetch)
      const { request, response } = call
      const decode = async (bytes: Buffer) => decodeFetchResponse(bytes) ?? response.decode(bytes)
      const encode = async () => encodeFetch(fetch)
      return {
        ...call,
        request: isPlain(fetch) ? { ...request, encode } : request,
        response: { ...response, decode },
      }
    }
  }
}

const isPlain = ({ forgottenTopics = [] }: Fetch) => forgottenTopics.length === 0

function encodeFetch(fetch: Fetch): Encoded {
  const { replicaId = consumer, maxWaitTime, minBytes, maxBytes, topics, rackId = '' } = fetch
  const { isolationLevel = readCommitted, sessionId = 0, sessionEpoch = -1 } = fetch
  const bytes = Buffer.allocUnsafe(boundOf(topics, rackId))
  let at = 0
  const int32 = (value: number) => {
    at = bytes.writeInt32BE(value, at)
  }
  const text = (value: string) => {
    at = bytes.writeInt16BE(Buffer.byteLength(value), at)
    at += bytes.write(value, at)
  }
  for (const value of [replicaId, maxWaitTime, minBytes, maxBytes]) int32(value)
  at = bytes.writeInt8(isolationLevel, at)
  for (const value of [sessionId, sessionEpoch, topics.length]) int32(value)
  for (const { topic, partitions } of topics) {
    text(topic)
    int32(partitions.length)
    for (const partition of partitions) {
      int32(partition.partition)
      // -1: neither the leader's epoch nor the start of the log, which only replicas send.
      int32(-1)
      at = bytes.writeBigInt64BE(BigInt(partition.fetchOffset), at)
      at = bytes.writeBigInt64BE(-1n, at)
      int32(partition.maxBytes)
    }
  }
  int32(0)
  text(rackId)
  const buffer = bytes.subarray(0, at)
  return { buf: buffer, buffer }
}

function boundOf(topics: Fetch['topics'], rackId: string): number {
  let bound = 40 + 3 * rackId.length
  for (const { topic, partitions } of topics) bound += 6 + 3 * topic.length + 28 * partitions.length
  return bound
}
