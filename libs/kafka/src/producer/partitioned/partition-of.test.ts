import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { Partitioners } from 'kafkajs'
import { partitionOf } from './partition-of.ts'

const partitionsOf = (count: number) =>
  Array.from({ length: count }, (_, partitionId) => ({
    partitionId,
    partitionErrorCode: 0,
    leader: 1,
    replicas: [1],
    isr: [1],
  }))
describe('partitionOf', () => {
  it('equals the choice of kafkajs and the Java clients', () => {
    const reference = Partitioners.DefaultPartitioner()
    const key = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.uuid(),
      fc.uint8Array({ maxLength: 70 }).map((bytes) => Buffer.from(bytes)),
    )
    fc.assert(
      fc.property(key, fc.integer({ min: 1, max: 64 }), (given, count) => {
        const message = { key: given, value: null }
        const partitionMetadata = partitionsOf(count)
        expect(partitionOf(given, count)).toBe(
          reference({ topic: 't', message, partitionMetadata }),
        )
      }),
      { numRuns: 2_000 },
    )
  })

  it('equals the hashes of the Java client', () => {
    // Known murmur2 values from org.apache.kafka.common.utils.UtilsTest.
    const known = {
      '21': -973_932_308,
      foobar: -790_332_482,
      'a-little-bit-long-string': -985_981_536,
    }
    for (const [key, hash] of Object.entries(known)) {
      expect(partitionOf(key, 1_000_003)).toBe((hash & 0x7f_ff_ff_ff) % 1_000_003)
    }
  })
})
