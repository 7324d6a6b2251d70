import { expect, it } from '@jest/globals'
import { decodeClaim, encodeClaim } from './co-partition-assigner.ts'

it('encodes a claim so that a member of the previous version reads the partitions', () => {
  const claim = { owned: [3, 5], generation: 7, isKept: true }
  const encoded = encodeClaim(claim)
  expect(decodeClaim(encoded)).toEqual(claim)
  const asBefore = (JSON.parse(encoded.toString()) as unknown[]).filter((p) => Number.isInteger(p))
  expect(asBefore).toEqual([3, 5])
})

it('treats partitions that a member of the previous version claims as drained', () => {
  expect(decodeClaim(Buffer.from('[1,2]'))).toEqual({
    owned: [1, 2],
    generation: -1,
    isKept: false,
  })
  expect(decodeClaim(null)).toEqual({ owned: [], generation: -1, isKept: false })
})
