import { describe, expect, it } from '@jest/globals'
import type { InvalidMessage } from '@surehook/contracts/events'
import {
  changesTopic,
  environmentsTopic,
  managementTokensTopic,
  subscriptionsTopic,
} from '@surehook/contracts/topics'
import type { TypeCodec } from '@surehook/schemas/codec'
import { toInvalidTopic } from './to-invalid.ts'

const published: InvalidMessage[] = []
const invalid: TypeCodec<InvalidMessage> = {
  encode(message) {
    published.push(message)
    return Buffer.from(String(published.length))
  },
  decode: () => {
    throw new Error('not asked here')
  },
}
const toInvalid = toInvalidTopic({ invalid }, { service: 'data-api', topic: changesTopic })

describe('toInvalidTopic', () => {
  it.each([changesTopic, subscriptionsTopic, environmentsTopic, managementTokensTopic])(
    'puts what was meant for %s on its invalid topic, as it was and with the reason',
    (topic) => {
      const value = Buffer.from('{}\nbody')
      const record = toInvalid({ topic, key: 'k', value, reason: 'no state' })
      expect(record).toMatchObject({ topic: `${topic}.invalid`, key: Buffer.from('k') })
      expect(published.at(-1)).toMatchObject({
        topic,
        partition: -1,
        offset: '-1',
        key: Buffer.from('k'),
        value,
        reason: 'no state',
        refusedBy: 'data-api.relay',
      })
    },
  )

  it.each([null, 'nonsense', 'changes.invalid'])(
    'puts what was meant for %s where the service has its messages',
    (topic) => {
      const value = Buffer.from('poison')
      const record = toInvalid({ topic, key: null, value, reason: 'No header line' })
      expect(record).toMatchObject({ topic: 'changes.invalid', key: null })
    },
  )

  it('leaves out a value that would not fit', () => {
    const value = Buffer.alloc(2_100_000)
    toInvalid({ topic: changesTopic, key: 'k', value, reason: 'too large' })
    expect(published.at(-1)).toMatchObject({
      value: null,
      reason: 'too large (a key of 1 and a value of 2100000 bytes, left out)',
    })
  })
})
