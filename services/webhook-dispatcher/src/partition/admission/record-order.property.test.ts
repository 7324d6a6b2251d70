import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals'
import { cancellable } from '@surehook/contracts/events'
import { retryTopic } from '@surehook/contracts/topics'
import fc from 'fast-check'
import { drain, shed } from '../../../test/support/partition-steps.ts'
import { PartitionWorld, topics } from '../../../test/support/partition-world.ts'
import { groupOf } from '../../delivery/record-groups.ts'

const one = fc.constantFrom('a1', 'b1')
/** The last three are of one group. */
const records = ['r1', 'r2', 'r3', ...sameGroup('r3').slice(0, 2)]
const record = fc.constantFrom(...records)

const action = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({ enqueue: one, record, times: fc.integer({ min: 1, max: 4 }) }),
  },
  {
    weight: 10,
    arbitrary: fc.record({
      fetch: fc.constantFrom(...topics),
      count: fc.integer({ min: 1, max: 9 }),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({ answer: fc.constantFrom(200, 500), first: fc.boolean() }),
  },
  { weight: 4, arbitrary: fc.constant({ acknowledge: true }) },
  { weight: 3, arbitrary: fc.constant({ commit: true }) },
  { weight: 3, arbitrary: fc.record({ pass: fc.constantFrom(100, 400) }) },
  { weight: 1, arbitrary: fc.constant({ relieve: true }) },
  {
    weight: 2,
    arbitrary: fc.record({ of: one, is: fc.constantFrom('active', 'inactive', 'tooLarge') }),
  },
  { weight: 1, arbitrary: fc.record({ cancel: one, status: fc.constantFrom(...cancellable) }) },
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

function sameGroup(recordId: string): string[] {
  const ids = Array.from({ length: 2_000 }, (_, n) => `same ${n}`)
  return ids.filter((id) => groupOf(id) === groupOf(recordId))
}

function ordered(orderedRecords: number, loadsLate: boolean): PartitionWorld {
  const made = new PartitionWorld({ orderedRecords, loadsLate })
  made.ordered.add('a1').add('b1')
  made.retryMs = 300
  return made
}

async function play(on: PartitionWorld, step: Action): Promise<void> {
  if ('enqueue' in step) for (let n = 0; n < step.times; n++) on.enqueue(step.enqueue, step.record)
  else if ('fetch' in step) on.fetch(step.fetch, step.count)
  else if ('answer' in step) on.answer(step.answer, step.first)
  else if ('acknowledge' in step) on.acknowledge()
  else if ('commit' in step) on.commit()
  else if ('pass' in step) pass(on, step.pass)
  else if ('relieve' in step) shed(on)
  else await change(on, step)
  await turn()
}

/** What happens to a subscription or to the owner of the partition. */
async function change(on: PartitionWorld, step: Action): Promise<void> {
  if ('is' in step) {
    if (step.is === 'tooLarge') on.tooLarge.add(step.of)
    else on.setActive(step.of, step.is === 'active')
  } else if ('cancel' in step) on.cancel(step.cancel, step.status)
  else if ('kill' in step) on.kill()
  else if ('drain' in step) on.worker.drain(step.drain)
  else {
    on.worker.drain(true)
    await on.settle()
    on.commit()
    on.kill()
  }
}

function pass(on: PartitionWorld, ms: number): void {
  jest.advanceTimersByTime(ms)
  on.worker.relieve()
}

it('sends no delivery of a record before an earlier one has ended, whatever happens to the partition', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(action, { minLength: 5, maxLength: 150 }),
      fc.nat(4),
      fc.boolean(),
      async (actions, room, loadsLate) => {
        world = ordered(room, loadsLate)
        for (const step of actions) await play(world, step)
        await drain(world)
        world.worker.dispose()
        expect(world.records.overtaken).toEqual([])
        expect(world.history.ended).toBe(world.enqueued)
        expect(world.repeatedByOneOwner).toEqual([])
        expect(world.history.wronglyCancelled).toEqual([])
        expect(world.logs.get(retryTopic('1s'))).toEqual([])
      },
    ),
    { numRuns: 300 },
  )
})
