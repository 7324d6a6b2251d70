import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import { FairSlots, type FairSlotsOptions, type OwnerName, type Slot } from './fair-slots.ts'

/** Takes slots for many callers, and notes who got one, in order. */
function callersOf(options: FairSlotsOptions) {
  const slots = new FairSlots(options)
  const got: string[] = []
  const held = new Map<string, Slot>()
  const take = async (
    owner: OwnerName,
    name: string,
    how: { slots?: number; weight?: number } = {},
  ) => {
    held.set(name, await slots.take(owner, how))
    got.push(name)
  }
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  const free = async (...names: string[]) => {
    for (const name of names) {
      await settled()
      held.get(name)?.[Symbol.dispose]()
    }
    await settled()
    return got
  }
  return { slots, got, take, free, settled }
}

const crowded = { code: 'SERVICE_UNAVAILABLE', retryAfterS: 1 }

describe('slots', () => {
  it('leave room for others, however many callers of one owner wait', async () => {
    const { got, take, free } = callersOf({ room: { all: 32, each: 4 } })
    for (let n = 0; n < 100; n++) void take('flood', `f${n}`)
    await take('quiet', 'q')
    expect(got).toEqual(['f0', 'f1', 'f2', 'f3', 'q'])
    await free('f1', 'q')
    expect(got).toEqual(['f0', 'f1', 'f2', 'f3', 'q', 'f4'])
  })

  it('may be as many of each owner as are free, so that a newcomer finds some', async () => {
    const { slots, got, take, free } = callersOf({ room: { all: 12, each: 'free' } })
    for (let n = 0; n < 12; n++) void take('a', `a${n}`)
    await free()
    expect(got).toHaveLength(6)
    for (let n = 0; n < 12; n++) void take('b', `b${n}`)
    await free()
    expect(got.slice(6)).toEqual(['b0', 'b1', 'b2'])
    await free('a0', 'a1', 'a2')
    expect(got.slice(9)).toEqual(['b3', 'a6'])
    expect(slots.taken).toBe(8)
    expect(slots.isAtLimit('b')).toBe(true)
    expect(slots.isAtLimit('c')).toBe(false)
  })

  it('go to the owner that holds the fewest, and in turn among equals', async () => {
    const { got, take, free } = callersOf({ room: { all: 3 } })
    for (const name of ['a0', 'a1', 'a2', 'a3', 'a4']) void take('a', name)
    for (const name of ['b0', 'b1', 'b2']) void take('b', name)
    void take('c', 'c0')
    await free('a0', 'a1')
    expect(got.slice(3)).toEqual(['b0', 'c0'])
    await free('c0')
    // Now `a` and `b` hold one each, and `b` was served last.
    expect(got.slice(5)).toEqual(['a3'])
    await free('b0')
    expect(got.slice(6)).toEqual(['b1'])
  })

  it('go round with a single slot, so that a newcomer waits for one caller of each owner', async () => {
    const { take, free } = callersOf({ room: { all: 1 } })
    for (let n = 0; n < 5; n++) void take('a', `a${n}`)
    for (let n = 0; n < 5; n++) void take('b', `b${n}`)
    await free('a0', 'a1')
    void take('c', 'c0')
    expect(await free('b0', 'a2', 'b1')).toEqual(['a0', 'a1', 'b0', 'a2', 'b1', 'c0'])
  })

  it('take turns between tenants, and inside a tenant between networks', async () => {
    const { take, free } = callersOf({ room: { all: 1 } })
    for (let n = 0; n < 4; n++) void take(['flood', `network-${n}`], `f${n}`)
    void take(['flood', 'network-0'], 'f4')
    void take(['guest', 'home'], 'g0')
    void take(['guest', 'home'], 'g1')
    const order = ['f0', 'f1', 'g0', 'f2', 'g1', 'f3', 'f4']
    expect(await free(...order.slice(0, -1))).toEqual(order)
  })

  it('wait together for a caller that needs several, which nobody overtakes', async () => {
    const { got, take, free } = callersOf({ room: { all: 3 } })
    for (const [name, count] of Object.entries({ a: 1, b: 3, c: 1, d: 2, e: 8 })) {
      void take(name, name, { slots: count })
    }
    expect(await free()).toEqual(['a'])
    expect(await free('a')).toEqual(['a', 'b'])
    expect(await free('b')).toEqual(['a', 'b', 'c', 'd'])
    await free('c')
    expect(got).toEqual(['a', 'b', 'c', 'd'])
    expect(await free('d')).toEqual(['a', 'b', 'c', 'd', 'e'])
  })

  it('are kept from a newcomer whose owner waits for several, but not from other owners', async () => {
    const { slots, got, take, free, settled } = callersOf({ room: { all: 3, each: 2 } })
    await take('a', 'a0')
    void take('a', 'a1', { slots: 2 })
    void take('a', 'a2')
    expect(slots.tryTake('a')).toBeNull()
    await settled()
    expect(got).toEqual(['a0'])
    await take('b', 'b0')
    expect(await free('a0', 'a1')).toEqual(['a0', 'b0', 'a1', 'a2'])
  })

  it('go to a network that holds fewer, also while another waits for several', async () => {
    const { got, take, free } = callersOf({
      room: { all: 3, each: 2 },
      waiting: { all: 3, each: 2 },
    })
    await take(['a', 'home'], 'h0')
    void take(['a', 'home'], 'h1', { slots: 2 })
    await take(['a', 'work'], 'w0')
    expect(got).toEqual(['h0', 'w0'])
    expect(await free('h0', 'w0')).toEqual(['h0', 'w0', 'h1'])
  })

  it('count heavy work as several turns, also if it needs one slot', async () => {
    const { got, take, free } = callersOf({ room: { all: 1 } })
    await take('x', 'x0')
    for (let n = 0; n < 2; n++) void take('costly', `c${n}`, { weight: 3 })
    for (let n = 0; n < 5; n++) void take('cheap', `p${n}`)
    await free('x0', 'c0', 'p0', 'p1', 'p2', 'c1')
    expect(got).toEqual(['x0', 'c0', 'p0', 'p1', 'p2', 'c1', 'p3'])
  })

  it('refuse heavy work first in a full waiting room', async () => {
    const { slots, take } = callersOf({ room: { all: 1 }, waiting: { all: 4 } })
    await take('x', 'x0')
    const heavy = slots.take('costly', { weight: 4 })
    void heavy.catch(() => {})
    await expect(slots.take('costly', { weight: 4 })).rejects.toMatchObject(crowded)
    void take('cheap', 'p0')
    await expect(heavy).rejects.toMatchObject(crowded)
  })

  it('count several slots as several turns, also after a pause', async () => {
    const { slots, got, take, free } = callersOf({ room: { all: 4 } })
    const [all] = [await slots.take('x', { slots: 4 })]
    void take('costly', 'c0', { slots: 4 })
    for (let n = 0; n < 6; n++) void take('cheap', `p${n}`, { slots: 4 })
    all?.[Symbol.dispose]()
    await free('c0')
    void take('costly', 'c1', { slots: 4 })
    expect(await free('p0')).toEqual(['c0', 'p0', 'c1'])
    expect(got).toHaveLength(3)
  })

  it('are freed once, also if they are disposed of twice', async () => {
    const slots = new FairSlots({ room: { all: 1 }, waiting: { all: 0 } })
    const first = await slots.take('a')
    first[Symbol.dispose]()
    first[Symbol.dispose]()
    await slots.take('a')
    expect(slots.taken).toBe(1)
    await expect(slots.take('b')).rejects.toMatchObject(crowded)
  })

  it('are freed by work that fails', async () => {
    const slots = new FairSlots({ room: { all: 1 } })
    const failing = slots.run('a', () => Promise.reject(new Error('broken')))
    await expect(failing).rejects.toThrow('broken')
    const thrown = slots.run('a', () => {
      throw new Error('at once')
    })
    await expect(thrown).rejects.toThrow('at once')
    expect(await slots.run('b', () => 'next')).toBe('next')
    expect(slots.taken).toBe(0)
  })

  it('are not given to a caller whose signal aborted', async () => {
    const { slots, got, take, free } = callersOf({ room: { all: 1 } })
    await take('a', 'a0')
    const leaving = new AbortController()
    const left = slots.take('b', { signal: leaving.signal })
    void take('c', 'c0')
    leaving.abort(new Error('gone'))
    await expect(left).rejects.toThrow('gone')
    await expect(slots.take('a', { signal: leaving.signal })).rejects.toThrow('gone')
    await expect(slots.run('a', () => 1, { signal: leaving.signal })).rejects.toThrow('gone')
    expect(slots.waiting).toBe(1)
    expect(await free('a0')).toEqual(['a0', 'c0'])
    expect(got).toHaveLength(2)
  })

  it('say who starves: callers that wait only because others have all slots', async () => {
    const { slots, take, settled } = callersOf({ room: { all: 2, each: 1 } })
    await take('a', 'a0')
    void take('a', 'a1')
    await settled()
    expect([slots.starving, slots.isAtLimit('a'), slots.isAtLimit('b')]).toEqual([0, true, false])
    await take('b', 'b0')
    expect(slots.starving).toBe(0)
    void take('c', 'c0')
    expect([slots.starving, slots.waiting, slots.taken]).toEqual([1, 2, 2])
  })
})

describe('a full room to wait', () => {
  it('refuses an owner that fills its share, by default half', async () => {
    const { slots, take } = callersOf({ room: { all: 1 }, waiting: { all: 4, each: 2 } })
    await take('a', 'a0')
    void take('a', 'a1')
    void take('a', 'a2')
    expect(() => slots.assertRoom('a')).toThrow('too many wait')
    expect(() => slots.assertRoom('b')).not.toThrow()
    await expect(slots.take('a')).rejects.toMatchObject(crowded)
  })

  it('replaces the newest caller of the owner that waits for most', async () => {
    const { slots, take, free } = callersOf({ room: { all: 1 }, waiting: { all: 4, each: 2 } })
    await take('x', 'x')
    const waiting = ['b', 'b', 'c', 'd'].map((owner, n) => take(owner, `${owner}${n}`))
    void take('e', 'e4')
    await expect(waiting[1]).rejects.toMatchObject(crowded)
    await expect(slots.take('e')).rejects.toMatchObject(crowded)
    expect(await free('x', 'b0', 'c2', 'd3')).toEqual(['x', 'b0', 'c2', 'd3', 'e4'])
  })

  it('keeps room for every tenant and network, however many callers others have', async () => {
    const waiting = () => ({ all: 40, each: 20 })
    const { slots, take, free } = callersOf({ room: { all: 1 }, waiting })
    await take(['flood', 'n-0'], 'first')
    const crowd = Array.from({ length: 260 }, (_, n) => take(['flood', `n-${n % 6}`], `f${n}`))
    const ended = Promise.allSettled(crowd)
    const guests = [take(['guest', 'home'], 'g0'), take(['guest', 'home'], 'g1')]
    const stranger = take(['flood', 'stranger'], 's')
    expect(() => slots.assertRoom(['flood', 'n-0'])).toThrow('too many wait')
    expect(() => slots.assertRoom(['visitor', 'home'])).not.toThrow()
    const got = await free('first')
    for (let n = 1; n < 30; n++) await free(got[n] ?? '')
    await Promise.all([...guests, stranger])
    expect(got.indexOf('g0')).toBeLessThan(3)
    const refused = (await ended).filter(({ status }) => status === 'rejected')
    expect(refused).toHaveLength(260 - 19)
  })
})

describe('the longest wait for a slot', () => {
  beforeEach(() => void jest.useFakeTimers())
  afterEach(() => void jest.useRealTimers())

  it('refuses a caller that waited too long, without starting its work', async () => {
    const refusal = (reason: string) => new Error(reason)
    const slots = new FairSlots({ room: { each: 1 }, maxWaitMs: 3_000, refusal })
    const slow = await slots.take('a')
    const work = jest.fn(() => 'done')
    const [refused] = await Promise.allSettled([
      slots.run('a', work),
      jest.advanceTimersByTimeAsync(3_000),
    ])
    expect(refused).toMatchObject({ status: 'rejected', reason: new Error('late') })
    expect(await slots.run('b', () => 'at once')).toBe('at once')
    slow[Symbol.dispose]()
    expect(work).not.toHaveBeenCalled()
    expect(await slots.run('a', work)).toBe('done')
    expect(jest.getTimerCount()).toBe(0)
  })

  it('lets others pass once a caller that needs several slots has left', async () => {
    const slots = new FairSlots({ room: { all: 2 }, maxWaitMs: 1_000 })
    await slots.take('a')
    const both = slots.take('b', { slots: 2 })
    await jest.advanceTimersByTimeAsync(500)
    expect(slots.tryTake('c')).toBeNull()
    const one = slots.take('c')
    await Promise.allSettled([both, jest.advanceTimersByTimeAsync(500)])
    await expect(both).rejects.toMatchObject(crowded)
    expect(await one).toBeDefined()
  })
})
