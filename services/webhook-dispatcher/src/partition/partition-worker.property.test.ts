import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals'
import { cancellable } from '@surehook/contracts/events'
import { deliveriesTopic, pausedTopic } from '@surehook/contracts/topics'
import fc from 'fast-check'
import { crowd, drain, shed, subscriptions } from '../../test/support/partition-steps.ts'
import { PartitionWorld, topics } from '../../test/support/partition-world.ts'

const one = fc.constantFrom(...subscriptions)

const action = fc.oneof(
  { weight: 8, arbitrary: fc.record({ enqueue: one, times: fc.integer({ min: 1, max: 6 }) }) },
  {
    weight: 8,
    arbitrary: fc.record({
      fetch: fc.constantFrom(...topics),
      count: fc.integer({ min: 1, max: 9 }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ answer: fc.constantFrom(200, 200, 500), first: fc.boolean() }),
  },
  { weight: 4, arbitrary: fc.constant({ acknowledge: true }) },
  { weight: 3, arbitrary: fc.constant({ commit: true }) },
  { weight: 3, arbitrary: fc.constant({ relieve: true }) },
  { weight: 3, arbitrary: fc.record({ crowd: one }) },
  {
    weight: 3,
    arbitrary: fc.record({ of: one, is: fc.constantFrom('active', 'inactive', 'tooLarge') }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ cancel: one, status: fc.constantFrom(...cancellable) }),
  },
  { weight: 2, arbitrary: fc.constant({ kill: true }) },
  { weight: 1, arbitrary: fc.constant({ move: true }) },
  { weight: 1, arbitrary: fc.record({ drain: fc.boolean() }) },
)
const scenario = (maxLength: number) =>
  fc.record({
    actions: fc.array(action, { minLength: 5, maxLength }),
    /** Whether an owner reads a subscription when it first needs it. */
    loadsLate: fc.boolean(),
  })
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never

let world: PartitionWorld | undefined
beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] }))
afterEach(() => {
  world?.worker.dispose()
  jest.useRealTimers()
})

function set(on: PartitionWorld, { of, is }: { of: string; is: string }): void {
  if (is === 'tooLarge') on.tooLarge.add(of)
  else on.setActive(of, is === 'active')
}

async function play(on: PartitionWorld, step: Action): Promise<void> {
  if ('enqueue' in step) for (let n = 0; n < step.times; n++) on.enqueue(step.enqueue)
  else if ('crowd' in step) await crowd(on, step.crowd)
  else if ('fetch' in step) on.fetch(step.fetch, step.count)
  else if ('answer' in step) on.answer(step.answer, step.first)
  else if ('acknowledge' in step) on.acknowledge()
  else if ('commit' in step) on.commit()
  else if ('relieve' in step) shed(on)
  else if ('of' in step) set(on, step)
  else if ('cancel' in step) on.cancel(step.cancel, step.status)
  else await own(on, step)
  await turn()
}

/** What happens to the owner of the partition. */
async function own(on: PartitionWorld, step: Action): Promise<void> {
  if ('kill' in step) on.kill()
  else if ('drain' in step) on.worker.drain(step.drain)
  else {
    // A rebalance: attempts in flight end and are committed before another owner takes over.
    on.worker.drain(true)
    await on.settle()
    on.commit()
    on.kill()
  }
}

it('starts first attempts in order of arrival and loses nothing, whatever happens to the partition', async () => {
  await fc.assert(
    fc.asyncProperty(scenario(150), async ({ actions, loadsLate }) => {
      world = new PartitionWorld({ loadsLate })
      for (const step of actions) await play(world, step)
      await drain(world)
      world.worker.dispose()
      expect(world.history.ended).toBe(world.enqueued)
      for (const arrivals of world.started.values()) {
        expect(arrivals).toEqual(arrivals.toSorted((a, b) => a - b))
      }
      expect(world.repeatedByOneOwner).toEqual([])
      expect(world.history.wronglyCancelled).toEqual([])
    }),
    { numRuns: 300 },
  )
})

it('keeps each undelivered job on exactly one topic once all is acknowledged and committed', async () => {
  await fc.assert(
    fc.asyncProperty(scenario(80), async ({ actions, loadsLate }) => {
      world = new PartitionWorld({ loadsLate })
      // Kills are left out, because a killed owner leaves copies on the topics until they are read.
      for (const step of actions) if (!('kill' in step)) await play(world, step)
      await world.settle()
      world.commit()
      for (let n = 0; n < world.enqueued; n++) {
        const id = `d${n}`
        expect(world.placesOf(id)).toHaveLength(world.history.hasEnded(id) ? 0 : 1)
      }
      world.worker.dispose()
    }),
    { numRuns: 60 },
  )
})

it('reads unfinished jobs of an earlier owner before it releases later ones', async () => {
  world = new PartitionWorld()
  for (let n = 0; n < 8; n++) world.enqueue('a1')
  world.fetch(deliveriesTopic, 8)
  await world.settle()
  // Two are in flight and two wait in memory, so the last four have no room.
  shed(world)
  await world.settle()
  expect(world.logs.get(pausedTopic)).toHaveLength(4)
  world.commit()
  world.kill()
  world.fetch(pausedTopic, 10)
  world.fetch(pausedTopic, 10)
  await world.settle()
  expect(world.started.get('a1') ?? []).toEqual([0, 1])
  await drain(world)
  expect(world.started.get('a1')).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  world.worker.dispose()
})
