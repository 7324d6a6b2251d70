import { createRequire } from 'node:module'
import { expect, it } from '@jest/globals'
import { restoreMethods } from '../replace-methods.ts'
import { endOfEmpty, rememberEmptyFetches } from './empty-fetches.ts'

type Encoder = {
  readonly buffer: Buffer
  writeInt16(value: number): Encoder
  writeInt32(value: number): Encoder
  writeInt64(value: number): Encoder
  writeString(value: string): Encoder
  writeBuffer(value: Buffer): Encoder
}
type Response = { responses: { partitions: { messages: object[] }[] }[] }
type Call = { response: { decode(bytes: Buffer): Promise<Response> } }

const internal = createRequire(import.meta.url)
const Encoder = internal('kafkajs/src/protocol/encoder') as new () => Encoder
const { RecordBatch } = internal('kafkajs/src/protocol/recordBatch/v0') as {
  RecordBatch(of: object): Promise<Encoder>
}
const record = internal('kafkajs/src/protocol/recordBatch/record/v0') as (of: object) => Encoder
const fetch = internal('kafkajs/src/protocol/requests/fetch') as {
  protocol(of: { version: number }): (fetch: object) => Call
}
restoreMethods()
rememberEmptyFetches()

type Partition = { stableEnd: number; errorCode?: number; records?: Buffer }

/** A response of version 11 with the partitions of one topic. */
function encode(partitions: readonly Partition[]): Buffer {
  const out = new Encoder().writeInt32(0).writeInt16(0).writeInt32(0)
  out.writeInt32(1).writeString('topic').writeInt32(partitions.length)
  for (const [partition, { stableEnd, errorCode = 0, records }] of partitions.entries()) {
    out.writeInt32(partition).writeInt16(errorCode)
    // High watermark, last stable offset, log start, aborted transactions, preferred replica.
    out.writeInt64(1_000).writeInt64(stableEnd).writeInt64(0).writeInt32(-1).writeInt32(-1)
    const bytes = records ?? Buffer.alloc(0)
    out.writeInt32(bytes.length).writeBuffer(bytes)
  }
  return out.buffer
}

async function endsOf(...partitions: Partition[]) {
  const call = fetch.protocol({ version: 11 })({ maxWaitTime: 1, topics: [] })
  const { responses } = await call.response.decode(encode(partitions))
  return responses.flatMap((of) => of.partitions).map(({ messages }) => endOfEmpty(messages))
}

it('tells the last stable offset of each partition of a fetch without records', async () => {
  expect(await endsOf({ stableEnd: 7 }, { stableEnd: 9 })).toEqual([7, 9])
})

it('tells no end if a partition had records, because others may not have fitted', async () => {
  const records = [record({ offsetDelta: 0, timestampDelta: 0, key: null, value: 'v' })]
  const { buffer } = await RecordBatch({ firstOffset: 3, firstTimestamp: 4, records })
  expect(await endsOf({ stableEnd: 7 }, { stableEnd: 9, records: buffer })).toEqual([
    undefined,
    undefined,
  ])
})

it('tells no end of a partition that answered with an error', async () => {
  expect(await endsOf({ stableEnd: -1, errorCode: 6 }, { stableEnd: 9 })).toEqual([undefined, 9])
})
