import { createRequire } from 'node:module'
import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { fetchInOnePass } from './fetch-decoder.ts'
import { decodeFetchResponse, endOfEmpty } from './fetch-response.ts'

type Write<Value> = (value: Value) => Encoder
type Encoder = {
  readonly buffer: Buffer
  writeInt16: Write<number>
  writeInt32: Write<number>
  writeInt64: Write<number>
  writeString: Write<string>
  writeBuffer: Write<Buffer>
}
type Response = { decode(bytes: Buffer): Promise<{ responses: Topic[] }> }
type Topic = { topicName: string; partitions: { messages: { batchContext?: object }[] }[] }
type Call = { request: { encode(): Promise<{ buffer: Buffer }> }; response: Response }

const internal = createRequire(import.meta.url)
const Encoder = internal('kafkajs/src/protocol/encoder') as new () => Encoder
const { RecordBatch } = internal('kafkajs/src/protocol/recordBatch/v0') as {
  RecordBatch(of: object): Promise<Encoder>
}
const Record = internal('kafkajs/src/protocol/recordBatch/record/v0') as (of: object) => Encoder
const fetch = internal('kafkajs/src/protocol/requests/fetch') as {
  protocol(of: { version: number }): (fetch: object) => Call
}
const theirs = fetch.protocol({ version: 11 })
fetchInOnePass()
const ours = fetch.protocol({ version: 11 })
const anything = { maxWaitTime: 1, minBytes: 1, maxBytes: 1, topics: [] }

type Batch = {
  firstOffset: number
  firstTimestamp: number
  /** Timestamp type of the batch, as the broker sets it. */
  attributes: number
  records: { key: Buffer | null; value: Buffer | null; headers: object; timestampDelta: number }[]
}

async function encodeBatch({ records, attributes, ...of }: Batch): Promise<Buffer> {
  const encoded = records.map((record, offsetDelta) => Record({ ...record, offsetDelta }))
  const { buffer } = await RecordBatch({
    ...of,
    maxTimestamp: of.firstTimestamp + 77,
    lastOffsetDelta: records.length - 1,
    records: encoded,
  })
  buffer.writeInt16BE(attributes, 21)
  return buffer
}

type Partition = { partition: number; batches: Batch[]; cut: number; stableEnd?: number }

/**
 * kafkajs reads the version of the first batch, its 17th byte. A broker sends that batch whole
 * (KIP-74).
 */
const leastBytes = 17

async function encodeResponse(topics: { topic: string; partitions: Partition[] }[]) {
  const out = new Encoder().writeInt32(0).writeInt16(0).writeInt32(0)
  out.writeInt32(topics.length)
  for (const { topic, partitions } of topics) {
    out.writeString(topic).writeInt32(partitions.length)
    for (const { partition, batches, cut, stableEnd = -1 } of partitions) {
      out.writeInt32(partition).writeInt16(0)
      for (const offset of [12_345_678_901, stableEnd, 0]) out.writeInt64(offset)
      out.writeInt32(-1).writeInt32(-1)
      const whole = Buffer.concat(await Promise.all(batches.map(encodeBatch)))
      const left = whole.length - cut
      const bytes = whole.subarray(0, left < leastBytes ? 0 : left)
      out.writeInt32(bytes.length).writeBuffer(bytes)
    }
  }
  return out.buffer
}

/** Decodes with kafkajs, without the transaction fields that only kafkajs reads. */
async function decodedBy(response: Response, bytes: Buffer) {
  const decoded = await response.decode(bytes)
  for (const { partitions } of decoded.responses) {
    for (const { messages } of partitions) for (const one of messages) delete one.batchContext
  }
  return decoded
}

const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array))
const record = fc.record({
  key: fc.option(bytes),
  value: fc.option(bytes),
  headers: fc.dictionary(fc.stringMatching(/^[a-zé]{1,9}$/), bytes, { maxKeys: 2 }),
  timestampDelta: fc.integer({ min: -5_000_000_000, max: 5_000_000_000 }),
})
const batch = fc.record({
  firstOffset: fc.nat({ max: 2 ** 45 }),
  firstTimestamp: fc.nat({ max: 2 ** 42 }),
  attributes: fc.constantFrom(0, 8),
  records: fc.array(record, { minLength: 1, maxLength: 80, size: 'max' }),
})
const partition = fc.record({
  partition: fc.nat(1_000),
  batches: fc.array(batch, { maxLength: 3 }),
  // The broker may send only a part of the last batch.
  cut: fc.constantFrom(0, 0, 1, 70, 2_000),
})
const topic = fc.record({
  topic: fc.stringMatching(/^[a-z.-]{1,249}$/),
  partitions: fc.array(partition, { maxLength: 4 }),
})

describe('fetchInOnePass', () => {
  it('reads the same records as kafkajs', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(topic, { maxLength: 3 }), async (topics) => {
        const response = await encodeResponse(topics)
        const expected = await decodedBy(theirs(anything).response, response)
        expect(decodeFetchResponse(response)).toEqual(expected)
        expect(await decodedBy(ours(anything).response, response)).toEqual(expected)
      }),
      { numRuns: 30 },
    )
  })

  it.each([
    ['a transaction', 0x10],
    ['control', 0x20],
  ])('leaves records of %s to kafkajs', async (_, attributes) => {
    const records = [{ key: null, value: Buffer.from('v'), headers: {}, timestampDelta: 0 }]
    const batches = [{ firstOffset: 3, firstTimestamp: 4, attributes, records }]
    const response = await encodeResponse([
      { topic: 't', partitions: [{ partition: 1, batches, cut: 0 }] },
    ])
    expect(decodeFetchResponse(response)).toBeNull()
    const expected = await decodedBy(theirs(anything).response, response)
    expect(await decodedBy(ours(anything).response, response)).toEqual(expected)
  })

  it('reports the end of a log only if the fetch returned no records', async () => {
    const records = [{ key: null, value: Buffer.from('v'), headers: {}, timestampDelta: 0 }]
    const full = [{ firstOffset: 3, firstTimestamp: 4, attributes: 0, records }]
    const endsOf = async (...partitions: Partition[]) => {
      const response = decodeFetchResponse(await encodeResponse([{ topic: 't', partitions }]))
      const decoded = response?.responses.flatMap((of) => of.partitions) ?? []
      return decoded.map(({ messages }) => endOfEmpty(messages))
    }
    const empty = (id: number, stableEnd: number) => ({
      ...{ partition: id, batches: [], cut: 0, stableEnd },
    })
    expect(await endsOf(empty(0, 7), empty(1, 9))).toEqual([7, 9])
    // Records of one partition may have left no room for the others.
    expect(await endsOf(empty(0, 7), { ...empty(1, 9), batches: full })).toEqual([
      undefined,
      undefined,
    ])
    expect(await endsOf(empty(0, 7), { ...empty(1, 9), batches: full, cut: 1 })).toEqual([
      undefined,
      undefined,
    ])
  })

  it('encodes requests as kafkajs does', async () => {
    const place = fc.record({
      partition: fc.nat(1_000),
      fetchOffset: fc.bigInt({ min: 0n, max: 2n ** 62n }).map(String),
      maxBytes: fc.nat(2 ** 31 - 1),
    })
    const asked = fc.record({
      maxWaitTime: fc.nat(60_000),
      minBytes: fc.nat(1_000_000),
      maxBytes: fc.nat(2 ** 31 - 1),
      isolationLevel: fc.constantFrom(0, 1),
      rackId: fc.constantFrom('', 'räck'),
      topics: fc.array(
        fc.record({ topic: fc.stringMatching(/^[a-z.-]{1,249}$/), partitions: fc.array(place) }),
        { maxLength: 4 },
      ),
    })
    await fc.assert(
      fc.asyncProperty(asked, async (of) => {
        const [mine, kafkajs] = await Promise.all([
          ours(of).request.encode(),
          theirs(of).request.encode(),
        ])
        expect(mine.buffer.toString('hex')).toBe(kafkajs.buffer.toString('hex'))
      }),
    )
  })
})
