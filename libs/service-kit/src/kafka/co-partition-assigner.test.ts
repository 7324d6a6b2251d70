import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { share } from './co-partition-assigner.ts'

const memberships = fc.record({
  partitions: fc.nat(64),
  members: fc.uniqueArray(
    fc.record({
      memberId: fc.string({ minLength: 1 }),
      owned: fc.uniqueArray(fc.nat(70), { maxLength: 40 }),
    }),
    { minLength: 1, maxLength: 9, selector: ({ memberId }) => memberId },
  ),
})

describe('share', () => {
  it('gives every partition to exactly one member, evenly, whatever members claim', () => {
    fc.assert(
      fc.property(memberships, ({ members, partitions }) => {
        const shares = [...share(members, partitions).values()]
        expect(shares.flat().toSorted((a, b) => a - b)).toEqual(
          Array.from({ length: partitions }, (_, p) => p),
        )
        const sizes = shares.map((mine) => mine.length)
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1)
      }),
    )
  })

  it('moves nothing when nobody comes or goes', () => {
    fc.assert(
      fc.property(memberships, ({ members, partitions }) => {
        const before = share(members, partitions)
        const after = share(
          [...before].map(([memberId, owned]) => ({ memberId, owned })),
          partitions,
        )
        expect(after).toEqual(before)
      }),
    )
  })

  it('moves only the quota of a member that joins', () => {
    const shares = share(
      [
        { memberId: 'a', owned: [0, 1, 2, 3] },
        { memberId: 'b', owned: [4, 5, 6, 7] },
        { memberId: 'c', owned: [] },
      ],
      8,
    )
    expect(shares.get('a')?.every((p) => p < 4)).toBe(true)
    expect(shares.get('c')).toHaveLength(2)
  })
})
