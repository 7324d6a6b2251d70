import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { FairQueue } from './fair-queue.ts'

type Item = { id: number; path: [string, string]; cost: number }

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('push' as const),
      tenant: fc.constantFrom('a', 'b', 'c', 'd'),
      network: fc.constantFrom('1', '2', '3'),
      cost: fc.integer({ min: 1, max: 4 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('next' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('remove' as const), at: fc.nat(50) }),
  },
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

/** A queue beside a model of the items that wait in it. */
function queueUnderTest(room: number) {
  const queue = new FairQueue<Item>()
  const waiting = new Set<Item>()
  const seen = { pushed: 0, refused: 0, served: 0, evicted: 0, removed: 0 }
  const costOf = (items: Iterable<Item>) => [...items].reduce((sum, { cost }) => sum + cost, 0)
  const lineOf = (path: readonly string[]) =>
    [...waiting].filter((item) => path.every((name, depth) => item.path[depth] === name))

  const push = ({ tenant, network, cost }: Extract<Step, { kind: 'push' }>) => {
    const item: Item = { id: seen.pushed++, path: [tenant, network], cost }
    const hasRoom = queue.hasRoom(item.path, cost, room)
    const { admitted, evicted } = queue.push(item.path, { item, cost }, room)
    expect(admitted).toBe(hasRoom)
    if (admitted) waiting.add(item)
    else seen.refused++
    for (const one of evicted) {
      expect(waiting.delete(one)).toBe(true)
      seen.evicted++
    }
    return { item, admitted, evicted }
  }
  const next = () => {
    const item = queue.next(Number.POSITIVE_INFINITY)
    expect(item === undefined).toBe(waiting.size === 0)
    if (item === undefined) return undefined
    // Items of one line leave in the order they came.
    expect(lineOf(item.path)[0]).toBe(item)
    waiting.delete(item)
    seen.served++
    return item
  }
  const run = (one: Step) => {
    if (one.kind === 'push') push(one)
    if (one.kind === 'next') next()
    if (one.kind === 'remove') {
      const item = [...waiting][one.at]
      if (item === undefined) return
      queue.remove(item.path, item)
      queue.remove(item.path, item)
      waiting.delete(item)
      seen.removed++
    }
  }
  return { queue, waiting, seen, costOf, lineOf, push, next, run }
}

describe('the fair queue', () => {
  it("loses and repeats no item, and exceeds neither its room nor a line's share", () => {
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 120 }),
        fc.integer({ min: 1, max: 24 }),
        (steps, room) => {
          const test = queueUnderTest(room)
          for (const one of steps) {
            test.run(one)
            expect(test.queue.waiting).toBe(test.costOf(test.waiting))
            expect(test.queue.waiting).toBeLessThanOrEqual(room)
            for (const { path } of test.waiting) {
              const [tenant, network] = path
              for (const [line, share] of [
                [[tenant], room / 2],
                [[tenant, network], room / 4],
              ] as const) {
                const items = test.lineOf(line)
                if (items.length > 1) expect(test.costOf(items)).toBeLessThanOrEqual(share)
              }
            }
          }
          while (test.next() !== undefined);
          const { pushed, refused, served, evicted, removed } = test.seen
          expect(served + evicted + removed + refused).toBe(pushed)
        },
      ),
    )
  })

  it('serves lines in turn: none gets more than another, except for one costly item', () => {
    const costs = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 30, maxLength: 30 })
    fc.assert(
      fc.property(fc.array(costs, { minLength: 2, maxLength: 5 }), (lines) => {
        const queue = new FairQueue<number>()
        lines.forEach((line, at) => {
          for (const cost of line) queue.push([`${at}`], { item: at, cost }, 1_000)
        })
        const left = lines.map((line) => [...line])
        const served = lines.map(() => 0)
        while (left.every((line) => line.length > 0)) {
          const at = queue.next(4) ?? -1
          served[at] = (served[at] ?? 0) + (left[at]?.shift() ?? 0)
          expect(Math.max(...served) - Math.min(...served)).toBeLessThanOrEqual(2 * 4)
        }
      }),
    )
  })

  it('admits a new line into a full queue, and serves it within one round', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 8 }),
        fc.integer({ min: 40, max: 200 }),
        (crowds, room) => {
          const queue = new FairQueue<string>()
          for (let n = 0; n < 4 * room; n++) {
            const tenant = `crowd-${n % crowds}`
            queue.push([tenant, `network-${n % 17}`], { item: tenant, cost: 1 }, room)
          }
          const placed = queue.push(['stranger', 'home'], { item: 'stranger', cost: 1 }, room)
          expect(placed.admitted).toBe(true)
          expect(placed.evicted.filter((item) => item === 'stranger')).toEqual([])
          const round = Array.from({ length: crowds + 1 }, () => queue.next(1))
          expect(round).toContain('stranger')
        },
      ),
    )
  })

  it('replaces the newest item of the longest line, and refuses the longest line itself', () => {
    const queue = new FairQueue<string>()
    const push = (item: string, tenant: string) => queue.push([tenant], { item, cost: 1 }, 4)
    for (const item of ['a1', 'a2']) push(item, 'a')
    for (const item of ['b1', 'b2']) push(item, 'b')
    expect(push('a3', 'a')).toEqual({ admitted: false, evicted: [] })
    expect(push('c1', 'c')).toEqual({ admitted: true, evicted: ['a2'] })
    expect(push('c2', 'c')).toEqual({ admitted: false, evicted: [] })
    expect([queue.next(1), queue.next(1), queue.next(1), queue.next(1), queue.next(1)]).toEqual([
      'a1',
      'b1',
      'c1',
      'b2',
      undefined,
    ])
  })

  it('keeps a costly item at the front until there is budget for it', () => {
    const queue = new FairQueue<string>()
    queue.push(['a'], { item: 'costly', cost: 3 }, 10)
    queue.push(['b'], { item: 'cheap', cost: 1 }, 10)
    expect([queue.next(2), queue.next(3), queue.next(1)]).toEqual([undefined, 'costly', 'cheap'])
  })
})
