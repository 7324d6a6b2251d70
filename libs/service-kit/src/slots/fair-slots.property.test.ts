import { expect, it } from '@jest/globals'
import fc from 'fast-check'
import { FairSlots, type Slot } from './fair-slots.ts'

const owners = ['a', 'b', 'c', 'd'] as const
const networks = ['1', '2', '3'] as const

const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('take' as const),
      owner: fc.constantFrom(...owners),
      network: fc.constantFrom(...networks),
      slots: fc.integer({ min: 1, max: 4 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('free' as const), at: fc.nat(40) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('abort' as const), at: fc.nat(40) }) },
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never
type Caller = {
  owner: string
  path: string
  slots: number
  state: 'waits' | 'holds' | 'refused' | 'left' | 'ended'
  slot?: Slot
  signal: AbortController
}

const settled = () => new Promise((resolve) => setImmediate(resolve))
const sum = (callers: readonly Caller[]) => callers.reduce((all, { slots }) => all + slots, 0)

/** Slots beside a model: the callers, and what became of each. */
function underTest(room: { all: number; each: number }, waiting: { all: number; each: number }) {
  const slots = new FairSlots({ room, waiting })
  const callers: Caller[] = []
  const those = (state: Caller['state'], path = '') =>
    callers.filter((caller) => caller.state === state && caller.path.startsWith(path))

  /** Jest cannot show a whole caller, because of its signal. */
  const numberOf = (caller: Caller | undefined) => caller && callers.indexOf(caller)

  function take({ owner, network, slots: asked }: Extract<Step, { kind: 'take' }>) {
    const count = Math.min(asked, room.all, room.each)
    const signal = new AbortController()
    const path = `${owner}/${network}`
    const caller: Caller = { owner, path, slots: count, state: 'waits', signal }
    callers.push(caller)
    slots.take([owner, network], { slots: asked, signal: signal.signal }).then(
      (slot) => {
        // The callers of one owner get slots in order of arrival.
        expect(numberOf(those('waits', path)[0])).toBe(numberOf(caller))
        Object.assign(caller, { state: 'holds', slot })
      },
      () => {
        caller.state = signal.signal.aborted ? 'left' : 'refused'
      },
    )
  }
  function free(caller: Caller | undefined) {
    if (caller === undefined) return
    caller.state = 'ended'
    caller.slot?.[Symbol.dispose]()
    caller.slot?.[Symbol.dispose]()
  }
  async function run(one: Step) {
    if (one.kind === 'take') take(one)
    if (one.kind === 'free') free(those('holds')[one.at])
    if (one.kind === 'abort') those('waits')[one.at]?.signal.abort(new Error('left'))
    await settled()
  }
  return { slots, callers, those, run, free }
}

const rooms = fc.record({
  all: fc.integer({ min: 1, max: 8 }),
  each: fc.integer({ min: 1, max: 8 }),
})
const waitingRooms = fc.integer({ min: 1, max: 12 }).map((each) => ({ all: 2 * each, each }))

it('gives never more slots than the room, wastes none, and serves every caller that stays', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 60 }),
      rooms,
      waitingRooms,
      async (steps, room, waiting) => {
        const { slots, callers, those, run, free } = underTest(room, waiting)
        for (const one of steps) {
          await run(one)
          const held = sum(those('holds'))
          expect(held).toBeLessThanOrEqual(room.all)
          expect([slots.taken, slots.waiting]).toEqual([held, those('waits').length])
          expect(sum(those('waits'))).toBeLessThanOrEqual(waiting.all)
          for (const owner of owners) {
            const waits = those('waits', owner)
            expect(sum(those('holds', owner))).toBeLessThanOrEqual(room.each)
            if (waits.length > 1) expect(sum(waits)).toBeLessThanOrEqual(waiting.each)
          }
          // Somebody below the limit waits only while free slots are too few for the next caller.
          const most = Math.max(0, ...those('waits').map((caller) => caller.slots))
          const mayStart = those('waits').some(
            (caller) => sum(those('holds', caller.owner)) + most <= room.each,
          )
          if (mayStart) expect(held + most).toBeGreaterThan(room.all)
        }
        while (those('holds').length > 0) {
          for (const caller of those('holds')) free(caller)
          await settled()
        }
        expect(those('waits').map(({ path }) => path)).toEqual([])
        expect([slots.taken, slots.waiting]).toEqual([0, 0])
        expect(callers.every(({ state }) => ['ended', 'left', 'refused'].includes(state))).toBe(
          true,
        )
      },
    ),
    { numRuns: 60 },
  )
})

it('serves a newcomer within one round, however many callers others have', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 8 }),
      fc.integer({ min: 1, max: 6 }),
      fc.nat(30),
      async (crowds, all, served) => {
        const slots = new FairSlots({ room: { all } })
        const got: { owner: string; slot: Slot }[] = []
        const take = (owner: string) =>
          void slots.take(owner).then((slot) => got.push({ owner, slot }))
        for (let n = 0; n < 40 * crowds; n++) take(`crowd-${n % crowds}`)
        await settled()
        for (let n = 0; n < served; n++) {
          got[n]?.slot[Symbol.dispose]()
          await settled()
        }
        take('newcomer')
        for (let n = served; n < served + crowds + 1; n++) {
          got[n]?.slot[Symbol.dispose]()
          await settled()
        }
        expect(got.map(({ owner }) => owner)).toContain('newcomer')
      },
    ),
    { numRuns: 40 },
  )
})

it('gives owners that always wait equally many slots, except for one costly caller', async () => {
  const costs = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 20, maxLength: 20 })
  await fc.assert(
    fc.asyncProperty(fc.array(costs, { minLength: 2, maxLength: 5 }), async (lists) => {
      const slots = new FairSlots({ room: { all: 4 } })
      const first = await slots.take('first', { slots: 4 })
      const got: { at: number; count: number; slot: Slot }[] = []
      for (const [at, list] of lists.entries()) {
        for (const count of list) {
          void slots.take(`${at}`, { slots: count }).then((slot) => got.push({ at, count, slot }))
        }
      }
      first[Symbol.dispose]()
      const totals = lists.map(() => 0)
      const left = lists.map((list) => list.length)
      for (let n = 0; left.every((callers) => callers > 0); n++) {
        await settled()
        const { at, count, slot } = got[n] ?? { at: -1, count: 0, slot: undefined }
        totals[at] = (totals[at] ?? 0) + count
        left[at] = (left[at] ?? 0) - 1
        expect(Math.max(...totals) - Math.min(...totals)).toBeLessThanOrEqual(4 * 4)
        slot?.[Symbol.dispose]()
      }
    }),
    { numRuns: 40 },
  )
})
