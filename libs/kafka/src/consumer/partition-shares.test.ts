import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { type Claim, divide, share } from './partition-shares.ts'

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
const range = (count: number) => Array.from({ length: count }, (_, p) => p)
const sorted = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b)

function expectBalanced(shares: ReadonlyMap<string, readonly number[]>, partitions: number): void {
  expect(sorted([...shares.values()].flat())).toEqual(range(partitions))
  const sizes = [...shares.values()].map((mine) => mine.length)
  expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1)
}

describe('share', () => {
  it('gives every partition to exactly one member, evenly, for any claims', () => {
    fc.assert(
      fc.property(memberships, ({ members, partitions }) =>
        expectBalanced(share(members, partitions), partitions),
      ),
    )
  })

  it('moves nothing without a change of members', () => {
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

/**
 * A group of members that keep working while they join. Leaving partitions are released before the
 * next generation.
 */
class Group {
  readonly #partitions: number
  readonly #owned = new Map<string, { given: readonly number[]; leaving: readonly number[] }>()
  /** Claims of members that were away and that the group has forgotten. */
  readonly #stale = new Map<string, Claim>()
  #generation = 0

  constructor(partitions: number) {
    this.#partitions = partitions
  }

  step({ kind, member }: Step): void {
    const memberId = `m${member}`
    const { given = [] } = this.#owned.get(memberId) ?? {}
    if (kind === 'dies') this.#owned.delete(memberId)
    else if (kind === 'lets go') this.#owned.set(memberId, { given, leaving: [] })
    else if (kind === 'comes' && this.#owned.get(memberId) === undefined) {
      this.#owned.set(memberId, { given: [], leaving: [] })
    } else if (kind === 'was away' && this.#owned.delete(memberId)) {
      const claim = { owned: given, generation: this.#generation, isKept: false }
      this.#stale.set(`again ${memberId}`, { memberId: `again ${memberId}`, ...claim })
      this.#owned.set(`again ${memberId}`, { given: [], leaving: [] })
    }
    if (this.#owned.size > 0) this.rebalance()
  }

  rebalance(): void {
    const claims = [...this.#owned].map(([memberId, { given, leaving }]): Claim => {
      const owned = [...sorted(given), ...sorted(leaving)]
      const claim = { memberId, owned, generation: this.#generation, isKept: true }
      return this.#stale.get(memberId) ?? claim
    })
    this.#stale.clear()
    const shares = divide(claims, this.#partitions)
    this.#generation++
    for (const { memberId, owned, isKept } of claims) {
      const given = shares.get(memberId) ?? []
      const leaving = isKept ? owned.filter((partition) => !given.includes(partition)) : []
      this.#owned.set(memberId, { given, leaving })
    }
  }

  get held(): number[] {
    return [...this.#owned.values()].flatMap(({ given, leaving }) => [...given, ...leaving])
  }

  /** Rebalances until no partition has to move. */
  settle(): ReadonlyMap<string, readonly number[]> {
    for (let rounds = 0; rounds < 3; rounds++) {
      for (const [memberId, { given }] of this.#owned) {
        this.#owned.set(memberId, { given, leaving: [] })
      }
      this.rebalance()
    }
    return new Map([...this.#owned].map(([memberId, { given }]) => [memberId, given]))
  }

  get isEmpty(): boolean {
    return this.#owned.size === 0
  }
}

type Step = { kind: 'comes' | 'dies' | 'lets go' | 'was away'; member: number }
const step = fc.record({
  kind: fc.constantFrom<Step['kind']>('comes', 'comes', 'lets go', 'dies', 'was away'),
  member: fc.nat(5),
})

describe('divide', () => {
  it('never gives a partition to a second member before the first has released it, and balances in the end', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 24 }), fc.array(step), (partitions, steps) => {
        const group = new Group(partitions)
        for (const one of steps) {
          group.step(one)
          expect(new Set(group.held).size).toBe(group.held.length)
        }
        if (!group.isEmpty) expectBalanced(group.settle(), partitions)
      }),
    )
  })

  it('requests the same partitions from an owner again while it drains them', () => {
    const claims: Claim[] = [
      { memberId: 'a', owned: [0, 1, 2, 3], generation: 4, isKept: true },
      { memberId: 'b', owned: [], generation: -1, isKept: false },
    ]
    const first = divide(claims, 4)
    expect(first).toEqual(
      new Map([
        ['a', [0, 1]],
        ['b', []],
      ]),
    )
    expect(divide(claims, 4)).toEqual(first)
  })

  it('moves drained partitions at once', () => {
    const claims: Claim[] = [
      { memberId: 'a', owned: [0, 1, 2, 3], generation: 4, isKept: false },
      { memberId: 'b', owned: [], generation: -1, isKept: false },
    ]
    expect(divide(claims, 4).get('b')).toHaveLength(2)
  })

  it('prefers the later owner to the claim of a member that was away', () => {
    const claims: Claim[] = [
      { memberId: 'a', owned: [0], generation: 3, isKept: false },
      { memberId: 'b', owned: [0], generation: 7, isKept: true },
    ]
    expect(divide(claims, 1)).toEqual(
      new Map([
        ['a', []],
        ['b', [0]],
      ]),
    )
  })
})
