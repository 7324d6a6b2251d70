import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals'
import { deliveriesTopic } from '@surehook/contracts/topics'
import { PartitionWorld } from '../../test/support/partition-world.ts'

let world: PartitionWorld
beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] }))
afterEach(() => {
  world.worker.dispose()
  jest.useRealTimers()
})

it('an owner starts nothing before its own first token, whatever the one before has started', async () => {
  world = new PartitionWorld()
  world.limits = { concurrency: null, perSecond: 10 }
  const started = () => world.started.get('a')?.length ?? 0
  for (let nth = 0; nth < 4; nth++) world.enqueue('a')
  for (let owners = 1; owners <= 3; owners++) {
    world.fetch(deliveriesTopic, 4)
    await turn()
    jest.advanceTimersByTime(99)
    expect(started()).toBe(owners - 1)
    jest.advanceTimersByTime(1)
    expect(started()).toBe(owners)
    world.answer(200, true)
    await world.settle()
    world.commit()
    world.kill()
  }
})
