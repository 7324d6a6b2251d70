import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import { cancellable } from '@surehook/contracts/events'
import { deliveriesTopic, pausedTopic } from '@surehook/contracts/topics'
import fc from 'fast-check'
import { PartitionWorld, topics } from '../../test/support/partition-world.ts'

const subscriptions = ['a1', 'a2', 'b1']
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
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never

let world: PartitionWorld | undefined
beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] }))
afterEach(() => {
  world?.worker.dispose()
  jest.useRealTimers()
})

/** Waits until jobs without room have moved to the paused topic. */
function shed(on: PartitionWorld): void {
  on.worker.relieve()
  jest.advanceTimersByTime(600)
  on.worker.relieve()
}

/** Enqueues more than there is room for, so that some deliveries are paused. */
async function crowd(on: PartitionWorld, subscriptionId: string): Promise<void> {
  for (let n = 0; n < 8; n++) on.enqueue(subscriptionId)
  on.fetch(deliveriesTopic, 20)
  await turn()
  shed(on)
  await on.settle()
  on.commit()
}

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

/** What happens to whoever owns the partition. */
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

/** Everything is answered, and read, until all is delivered or cancelled. */
async function drain(on: PartitionWorld): Promise<void> {
  on.worker.drain(false)
  for (const id of subscriptions) on.setActive(id, true)
  for (let round = 0; round < 400 && on.history.ended < on.enqueued; round++) {
    for (const topic of topics) on.fetch(topic, 50)
    for (let n = 0; n < 8; n++) on.answer(200, true)
    await on.settle()
    on.commit()
    jest.advanceTimersByTime(100)
    on.worker.relieve()
  }
}

it('starts first attempts in order of arrival and loses nothing, whatever happens to the partition', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 5, maxLength: 150 }), async (actions) => {
      world = new PartitionWorld()
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
    fc.asyncProperty(fc.array(action, { minLength: 5, maxLength: 80 }), async (actions) => {
      world = new PartitionWorld()
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

describe('a request to cancel', () => {
  const paused = async (of: string, count: number) => {
    const on = new PartitionWorld()
    world = on
    on.setActive(of, false)
    for (let n = 0; n < count; n++) on.enqueue(of)
    on.fetch(deliveriesTopic, count)
    await on.settle()
    on.fetch(pausedTopic, count)
    await on.settle()
    expect(on.logs.get(pausedTopic)).toHaveLength(count)
    return on
  }

  it('ends what is paused while its subscription is inactive, and nothing that comes later', async () => {
    const on = await paused('a1', 3)
    on.cancel('a1', 'paused')
    on.fetch(pausedTopic, 3)
    await on.settle()
    expect([...on.history.cancelled]).toEqual(['d0', 'd1', 'd2'])
    on.enqueue('a1')
    on.fetch(deliveriesTopic, 10)
    await on.settle()
    await drain(on)
    expect([...on.history.cancelled]).toEqual(['d0', 'd1', 'd2'])
    expect([...on.history.delivered]).toEqual(['d3'])
  })

  it('is met by the next owner, before it attempts anything', async () => {
    const on = await paused('a1', 3)
    on.commit()
    on.worker.drain(true)
    on.cancel('a1', 'paused')
    on.kill()
    await drain(on)
    expect([...on.history.cancelled]).toEqual(['d0', 'd1', 'd2'])
    expect(on.history.delivered.size).toBe(0)
  })

  it('leaves what is paused to those who ask for what is retrying', async () => {
    const on = await paused('a1', 2)
    on.cancel('a1', 'retrying')
    await drain(on)
    expect([on.history.cancelled.size, on.history.delivered.size]).toEqual([0, 2])
  })

  it('leaves what was made before, and is paused only after it', async () => {
    const on = new PartitionWorld()
    world = on
    on.enqueue('a1')
    on.cancel('a1', 'paused')
    on.setActive('a1', false)
    on.fetch(deliveriesTopic, 1)
    await on.settle()
    expect(on.logs.get(pausedTopic)).toHaveLength(1)
    await drain(on)
    expect([on.history.cancelled.size, on.history.delivered.size]).toEqual([0, 1])
  })

  /** Four are in memory, and four wait on the paused topic for a slot. */
  const crowded = async () => {
    const on = new PartitionWorld()
    world = on
    await crowd(on, 'a1')
    on.fetch(pausedTopic, 10)
    await on.settle()
    expect(on.logs.get(pausedTopic)).toHaveLength(4)
    return on
  }

  const blocking: [string, (on: PartitionWorld) => Promise<void>][] = [
    ['its subscription becomes inactive', async (on) => on.setActive('a1', false)],
    [
      'its circuit opens',
      async (on) => {
        for (let n = 0; n < 5; n++) {
          on.answer(500, true)
          await on.settle()
        }
        expect(on.worker.openCircuits).toBe(1)
      },
    ],
  ]

  it.each(blocking)('leaves what only waited for a slot until later %s', async (_when, block) => {
    const on = await crowded()
    on.cancel('a1', 'paused')
    await block(on)
    for (let n = 0; n < 3; n++) {
      on.fetch(pausedTopic, 10)
      await on.settle()
    }
    await drain(on)
    expect([on.history.cancelled.size, on.history.delivered.size]).toEqual([0, 8])
  })

  it('ends what waited for a slot when its subscription became inactive before', async () => {
    const on = await crowded()
    on.setActive('a1', false)
    on.cancel('a1', 'paused')
    on.fetch(pausedTopic, 10)
    await on.settle()
    await drain(on)
    expect([...on.history.cancelled]).toEqual(expect.arrayContaining(['d4', 'd5', 'd6', 'd7']))
    expect(on.history.wronglyCancelled).toEqual([])
  })

  it('ends what is retrying when it is due, and leaves another subscription alone', async () => {
    const on = new PartitionWorld()
    world = on
    for (const id of ['a1', 'b1']) on.enqueue(id)
    on.fetch(deliveriesTopic, 2)
    await on.settle()
    for (let n = 0; n < 2; n++) on.answer(500, true)
    await on.settle()
    on.cancel('a1', 'retrying')
    await drain(on)
    expect([...on.history.cancelled]).toEqual(['d0'])
    expect([...on.history.delivered]).toEqual(['d1'])
  })
})
