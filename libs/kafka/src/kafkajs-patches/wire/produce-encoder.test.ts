import { createRequire } from 'node:module'
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals'
import fc from 'fast-check'
import { restoreMethods } from '../replace-methods.ts'
import { encodeProducesAtOnce, type Produce } from './produce-encoder.ts'

type Call = { request: { encode(): Promise<{ buffer: Buffer }> } }
const produce = createRequire(import.meta.url)('kafkajs/src/protocol/requests/produce') as {
  protocol(of: { version: number }): (produce: Produce) => Call
}
const Long = createRequire(import.meta.url)('kafkajs/src/utils/long') as {
  fromValue(value: string): { toString(): string }
}
const theirs = produce.protocol({ version: 7 })
restoreMethods()
encodeProducesAtOnce()
const ours = produce.protocol({ version: 7 })

beforeEach(() => void jest.useFakeTimers({ now: 1_795_290_746_453 }))
afterEach(() => void jest.useRealTimers())

const bytes = (call: Call) => call.request.encode().then(({ buffer }) => buffer.toString('hex'))

const buffer = fc.uint8Array({ maxLength: 2_000 }).map((array) => Buffer.from(array))
const text = fc.string({ unit: 'binary', maxLength: 100 })
const message = fc.record({
  key: fc.oneof(fc.constant(null), buffer, text),
  value: fc.oneof(fc.constant(null), buffer, text),
  partition: fc.nat(20),
})
const partition = fc.record({
  partition: fc.nat(1_000),
  firstSequence: fc.nat(2 ** 31 - 1),
  messages: fc.array(message, { minLength: 1, maxLength: 200, size: 'max' }),
})
const request = fc.record({
  acks: fc.constantFrom(-1, 0, 1),
  timeout: fc.nat(60_000),
  producerId: fc.oneof(
    fc.nat().map((id) => Long.fromValue(String(id))),
    fc.bigInt({ min: 0n, max: 2n ** 62n }).map(String),
  ),
  producerEpoch: fc.nat(2 ** 15 - 1),
  topicData: fc.array(
    fc.record({ topic: fc.stringMatching(/^[a-z.-]{1,249}$/), partitions: fc.array(partition) }),
    { maxLength: 3 },
  ),
})

it('writes the same bytes as kafkajs', async () => {
  await fc.assert(
    fc.asyncProperty(request, async (of) => {
      expect(await bytes(ours(of))).toBe(await bytes(theirs(of)))
    }),
    { numRuns: 60 },
  )
})

it.each([
  ['a header', { value: 'v', headers: { a: 'b' } }],
  ['a time', { value: 'v', timestamp: '1795290746000' }],
])('leaves records with %s to kafkajs', async (_, of) => {
  const whole = {
    ...{ acks: -1, timeout: 1, producerId: '1', producerEpoch: 0 },
    topicData: [
      {
        topic: 't',
        partitions: [{ partition: 0, firstSequence: 3, messages: [of, { value: 'w' }] }],
      },
    ],
  }
  expect(await bytes(ours(whole))).toBe(await bytes(theirs(whole)))
})
