import { describe, expect, it } from '@jest/globals'
import { PausedWorld } from '../../test/support/paused-world.ts'
import { PausedSummary } from './topic/paused-summary.ts'

const many = 20_000
const of = (subscriptionId: string) => ({ subscriptionId, recordId: null })

/** An earlier owner, now gone, has paused many deliveries of `a`. */
function leftByAnother({ withNote }: { withNote: boolean }): PausedWorld {
  const world = new PausedWorld(0)
  world.blocked.add('a')
  for (let arrival = 0; arrival < many; arrival++) world.left('a', arrival)
  while (!world.isRead) world.fetch(1_000)
  world.crash({ withNote })
  return world
}

describe('an owner that follows another', () => {
  it('lets others start before it has read what is paused', () => {
    const world = leftByAnother({ withNote: true })
    const read = world.bodiesRead
    expect(world.paused.isReady).toBe(true)
    expect([world.paused.mayHave(of('a'), null), world.paused.mayHave(of('b'), null)]).toEqual([
      true,
      false,
    ])
    expect(world.bodiesRead).toBe(read)
  })

  it('reads everything first when there is no note', () => {
    const world = leftByAnother({ withNote: false })
    expect(world.paused.isReady).toBe(false)
    while (!world.isRead) world.fetch(1_000)
    expect(world.paused.isReady).toBe(true)
    expect([world.paused.mayHave(of('a'), null), world.paused.mayHave(of('b'), null)]).toEqual([
      true,
      false,
    ])
  })

  it('keeps few entries in memory, however many deliveries are paused or drain', () => {
    const world = leftByAnother({ withNote: true })
    for (let round = 0; round < 2 * (many / 1_000); round++) world.fetch(1_000)
    expect(world.paused.entries).toBeLessThan(10)
    world.block('a', false)
    for (let round = 0; world.released.length < many && round < 1_000; round++) {
      world.getRoom(256)
      world.fetch(1_000)
    }
    expect(world.released.map(({ arrival }) => arrival)).toEqual(
      Array.from({ length: many }, (_, arrival) => arrival),
    )
    expect(world.mostEntries).toBeLessThan(4_200)
  })
})

describe('large bodies', () => {
  const bodyBytes = 64 * 1024

  it('do not hold up an earlier delivery of their subscription that is paused later', () => {
    const world = new PausedWorld(0)
    world.bodyBytes = bodyBytes
    for (let arrival = 1; arrival <= 100; arrival++) world.pause('a', arrival)
    for (let round = 0; round < 10; round++) world.fetch(20)
    world.pause('a', 0)
    for (let round = 0; round < 200; round++) {
      world.getRoom(1)
      world.fetch(20)
    }
    expect(world.released.map(({ arrival }) => arrival)).toEqual(
      Array.from({ length: 101 }, (_, arrival) => arrival),
    )
  })

  it('of groups do not hold up what was paused before their subscription was ordered', () => {
    const world = new PausedWorld(0)
    world.bodyBytes = bodyBytes
    const [before, groups] = [20, 60]
    for (let arrival = 1; arrival <= before; arrival++) world.pause('a', arrival)
    for (let group = 0; group < groups; group++) world.pause('a', 100 + group, { group })
    for (let round = 0; round < 20; round++) world.fetch(20)
    // One more of before, such as a delivery that the open circuit sent back.
    world.pause('a', 0)
    for (let round = 0; round < 200; round++) {
      world.getRoom(1)
      world.fetch(20)
    }
    const arrivals = world.released.map(({ arrival }) => arrival)
    expect(arrivals.slice(0, before + 1)).toEqual(
      Array.from({ length: before + 1 }, (_, arrival) => arrival),
    )
    expect(arrivals).toHaveLength(before + 1 + groups)
  })
})

describe('the note of the subscriptions with paused deliveries', () => {
  it('contains each of them, and few others', () => {
    const ids = new Map(Array.from({ length: 300 }, (_, n) => [`sub-${n}`, n]))
    const summary = new PausedSummary(null)
    summary.complete()
    const note = summary.note(1_000, ids)
    const next = new PausedSummary(note)
    expect(next.upTo).toBe(1_000)
    for (const id of ids.keys()) expect(next.mayHave(id)).toBe(true)
    const others = Array.from({ length: 10_000 }, (_, n) => `other-${n}`)
    expect(others.filter((id) => next.mayHave(id)).length).toBeLessThan(300)
    expect(note?.length).toBeLessThanOrEqual(888)
  })

  it('is ignored if it is unreadable', () => {
    expect(new PausedSummary(Buffer.from('another version')).upTo).toBeNull()
    expect(new PausedSummary(Buffer.alloc(0)).upTo).toBeNull()
  })
})
