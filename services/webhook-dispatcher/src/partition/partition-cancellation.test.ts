import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import { cancellable } from '@surehook/contracts/events'
import { deliveriesTopic, pausedTopic, retryTopic } from '@surehook/contracts/topics'
import fc from 'fast-check'
import { crowd, drain } from '../../test/support/partition-steps.ts'
import { PartitionWorld, topics } from '../../test/support/partition-world.ts'

let world: PartitionWorld | undefined
beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] }))
afterEach(() => {
  world?.worker.dispose()
  jest.useRealTimers()
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

  it.each([
    [500, 'cancelled'],
    [200, 'delivered'],
  ] as const)('while a retry is in flight that gets %i: it ends as %s', async (answer, end) => {
    const on = new PartitionWorld()
    world = on
    on.enqueue('a1')
    on.fetch(deliveriesTopic, 1)
    await on.settle()
    on.answer(500, true)
    await on.settle()
    on.fetch(retryTopic('1s'), 1)
    await on.settle()
    on.cancel('a1', 'retrying')
    on.answer(answer, true)
    await on.settle()
    await drain(on)
    expect([...on.history[end]]).toEqual(['d0'])
    expect(on.history.attemptedInVain).toEqual([])
  })

  const action = fc.oneof(
    fc.record({ enqueue: fc.integer({ min: 1, max: 3 }) }),
    fc.constant({ crowd: true }),
    { weight: 4, arbitrary: fc.record({ fetch: fc.constantFrom(...topics) }) },
    { weight: 3, arbitrary: fc.record({ answer: fc.constantFrom(200, 500, 500) }) },
    fc.record({ active: fc.boolean() }),
    fc.record({ cancel: fc.constantFrom(...cancellable) }),
  )
  type Action = typeof action extends fc.Arbitrary<infer T> ? T : never

  const play = async (on: PartitionWorld, step: Action) => {
    if ('enqueue' in step) for (let n = 0; n < step.enqueue; n++) on.enqueue('a1')
    else if ('crowd' in step) await crowd(on, 'a1')
    else if ('fetch' in step) on.fetch(step.fetch, 9)
    else if ('answer' in step) on.answer(step.answer, true)
    else if ('active' in step) on.setActive('a1', step.active)
    else on.cancel('a1', step.cancel)
    await on.settle()
  }

  /** A retry waits for a slot when that is cancelled, and is paused after that. */
  const pausedWhileRetrying: Action[] = [
    { crowd: true },
    { answer: 200 },
    { answer: 500 },
    { fetch: pausedTopic },
    { answer: 500 },
    { answer: 200 },
    { fetch: retryTopic('1s') },
    { cancel: 'retrying' },
    { answer: 200 },
    { fetch: deliveriesTopic },
    { crowd: true },
    { answer: 200 },
  ]

  it('ends only what had the status, and attempts nothing of it again', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 5, maxLength: 60 }), async (actions) => {
        const on = new PartitionWorld()
        world = on
        for (const step of actions) await play(on, step)
        await drain(on)
        on.worker.dispose()
        expect(on.history.ended).toBe(on.enqueued)
        expect(on.history.wronglyCancelled).toEqual([])
        expect(on.history.attemptedInVain).toEqual([])
      }),
      { numRuns: 200, examples: [[pausedWhileRetrying]] },
    )
  })
})
