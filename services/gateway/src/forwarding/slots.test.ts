import { describe, expect, it } from '@jest/globals'
import { Slots } from './slots.ts'

const open = (limits: Partial<ConstructorParameters<typeof Slots>[0]> = {}) =>
  new Slots({ total: 2, perClient: 1, waiting: 4, maxWaitMs: 60_000, ...limits })

describe('slots', () => {
  it('admit a client below its limit before one at its limit', async () => {
    const slots = open()
    const first = await slots.enter('a')
    const entered: string[] = []
    const next = slots.enter('a').then((slot) => {
      entered.push('a')
      return slot
    })
    const other = await slots.enter('b')
    expect(entered).toEqual([])
    first[Symbol.dispose]()
    for (const slot of [await next, other]) slot[Symbol.dispose]()
    expect(entered).toEqual(['a'])
  })

  it('return a slot only once, even if it is disposed of twice', async () => {
    const slots = open({ total: 1, perClient: 1, waiting: 0 })
    const first = await slots.enter('a')
    first[Symbol.dispose]()
    first[Symbol.dispose]()
    await slots.enter('a')
    await expect(slots.enter('b')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
  })

  it('refuse a request at once if its client fills half the queue', async () => {
    const slots = open()
    const inside = await slots.enter('a')
    const waiting = [slots.enter('a'), slots.enter('a')]
    await expect(slots.enter('a')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    inside[Symbol.dispose]()
    for (const slot of waiting) (await slot)[Symbol.dispose]()
  })

  it('refuse a request that has waited too long', async () => {
    const slots = open({ maxWaitMs: 1 })
    await slots.enter('a')
    await expect(slots.enter('a')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
  })

  it('admit next a request of the client with the fewest slots', async () => {
    const slots = open({ total: 3, perClient: 3 })
    const held = await Promise.all(['a', 'a', 'a'].map((client) => slots.enter(client)))
    const entered: string[] = []
    const waiting = ['a', 'a', 'b'].map(async (client) => {
      const slot = await slots.enter(client)
      entered.push(client)
      return slot
    })
    held[0]?.[Symbol.dispose]()
    await waiting[2]
    expect(entered).toEqual(['b'])
    for (const slot of held.slice(1)) slot[Symbol.dispose]()
    await Promise.all(waiting)
  })

  it('drop the newest request of the client with the most in a full queue', async () => {
    const slots = open({ total: 1, waiting: 4 })
    const held = await slots.enter('a')
    const others = ['b', 'b', 'c', 'd'].map((client) => slots.enter(client))
    const mine = slots.enter('e')
    await expect(others[1]).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    await expect(slots.enter('e')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    held[Symbol.dispose]()
    for (const entering of [others[0], others[2], others[3], mine])
      (await entering)?.[Symbol.dispose]()
  })

  it('report no starvation for a wait on the own limit, or while there is room', async () => {
    const slots = open({ total: 2, perClient: 1 })
    const held = [await slots.enter('a')]
    const waiting = [slots.enter('a')]
    expect(slots.starving).toBe(0)
    held.push(await slots.enter('b'))
    expect(slots.starving).toBe(0)
    waiting.push(slots.enter('c'))
    expect(slots.starving).toBe(1)
    for (const slot of held) slot[Symbol.dispose]()
    for (const slot of await Promise.all(waiting)) slot[Symbol.dispose]()
  })
})
