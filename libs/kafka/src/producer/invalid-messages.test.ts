import { expect, it } from '@jest/globals'
import type { InvalidMessage } from '@surehook/contracts/events'
import { invalidRecord } from './invalid-messages.ts'

const encoded: InvalidMessage[] = []
const codec = {
  invalid: {
    encode: (message: InvalidMessage) => {
      encoded.push(message)
      return Buffer.alloc((message.key?.length ?? 0) + (message.value?.length ?? 0))
    },
  },
} as unknown as Parameters<typeof invalidRecord>[0]

const recordOf = (keyBytes: number, valueBytes: number) => {
  const message = { key: Buffer.alloc(keyBytes), value: Buffer.alloc(valueBytes), offset: '1' }
  const { key, value } = invalidRecord(codec, {
    message,
    topic: 'changes',
    partition: 0,
    reason: 'unreadable',
    refusedBy: 'test',
  })
  return { key, bytes: (key?.length ?? 0) + (value?.length ?? 0), message: encoded.at(-1) }
}

it('keeps key and value of a message that fits on the topic', () => {
  expect(recordOf(100, 1_900_000).message).toMatchObject({ reason: 'unreadable' })
  expect(recordOf(100, 1_900_000).bytes).toBe(1_900_200)
})

it.each([
  ['a large value', 10, 2_000_001],
  ['a large key, which would come twice', 1_100_000, 10],
  ['both', 100_000, 1_900_000],
])('leaves out %s', (_what, keyBytes, valueBytes) => {
  const { key, bytes, message } = recordOf(keyBytes, valueBytes)
  expect([key, bytes]).toEqual([null, 0])
  expect(message).toMatchObject({ key: null, value: null })
  expect(message?.reason).toContain(`${keyBytes}`)
})
