import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from '@jest/globals'
import { AssignedPartition } from '@surehook/kafka/windowed/assigned-partition'
import { JobRouting } from './job-routing.ts'

type Commit = { committed: number; isAdded: boolean; metadata: string | null }

function setUp(commit: Commit, partitions = 2, stopMs = 600_000) {
  const at = { topic: 'changes', partition: 0, end: 0, ...commit }
  const assignment = new AssignedPartition(at)
  const control = { partitions, commitSoon: () => void (assignment.dirty = true) }
  const waits: string[] = []
  let pass = () => {}
  const wait = async (what: string) => {
    waits.push(what)
    await new Promise<void>((resolve) => {
      pass = resolve
    })
  }
  const newPartition = async () => {
    await wait('new partition')
    return 2
  }
  let ready = 0
  let next = Promise.withResolvers<void>()
  const faults: unknown[] = []
  const routing = new JobRouting({
    ...{ assignment, control },
    gate: { newPartition, rerouted: () => wait('rerouted') },
    onReady: () => {
      ready++
      next.resolve()
      next = Promise.withResolvers()
    },
    onFault: (err) => void faults.push(err),
    stopMs,
  })
  const passes = async () => {
    pass()
    await turn()
  }
  const becomesReady = () => next.promise
  return { routing, assignment, control, waits, passes, faults, becomesReady, ready: () => ready }
}

const earlierVersion = { committed: 5, isAdded: false, metadata: null }

it('goes on with the number of its topic after an upgrade', () => {
  const { routing, waits } = setUp(earlierVersion)
  expect([routing.mayBegin(0), routing.partitions, waits]).toEqual([true, 2, []])
})

it('goes on with the earlier number while jobs are rerouted, and stops only for the last ones', async () => {
  const { routing, control, waits, passes, ready } = setUp(earlierVersion)
  control.partitions = 4
  expect([routing.mayBegin(1), routing.mayBegin(0), waits]).toEqual([true, true, ['rerouted']])
  await passes()
  expect([ready(), routing.mayBegin(1), waits]).toEqual([1, false, ['rerouted']])
  expect(routing.mayBegin(0)).toBe(false)
  await turn()
  expect([waits, routing.partitions]).toEqual([['rerouted', 'rerouted'], 2])
  await passes()
  expect([ready(), routing.mayBegin(0), routing.partitions]).toEqual([2, true, 4])
})

it('goes on with the earlier number when the last jobs take long, and tries again', async () => {
  const { routing, control, waits, passes, becomesReady, faults } = setUp(earlierVersion, 2, 1)
  control.partitions = 4
  expect(routing.mayBegin(0)).toBe(true)
  await passes()
  while (faults.length === 0) await becomesReady()
  expect(faults).toMatchObject([{ name: 'TimeoutError' }])
  expect([routing.mayBegin(1), routing.partitions]).toEqual([true, 2])
  expect(waits).toEqual(['rerouted', 'rerouted'])
})

it('the next owner goes on with the number of the commit', async () => {
  const { routing, assignment } = setUp(earlierVersion)
  expect(routing.mayBegin(0)).toBe(true)
  const { metadata } = assignment.position()
  const next = setUp({ ...earlierVersion, metadata }, 4)
  expect([next.routing.mayBegin(0), next.routing.partitions]).toEqual([true, 2])
  await next.passes()
  expect(next.routing.mayBegin(0)).toBe(false)
  await turn()
  await next.passes()
  const after = setUp({ ...earlierVersion, metadata: next.assignment.position().metadata }, 4)
  expect([after.routing.mayBegin(0), after.routing.partitions]).toEqual([true, 4])
})

it('begins a new partition when the earlier changes of its records are matched', async () => {
  const { routing, assignment, waits, passes } = setUp(
    { committed: 0, isAdded: true, metadata: null },
    4,
  )
  expect(routing.mayBegin(0)).toBe(false)
  expect([waits, assignment.mayCommit]).toEqual([['new partition'], false])
  await passes()
  expect([assignment.mayCommit, assignment.dirty]).toEqual([true, true])
  // Its jobs follow the earlier ones, which are still in their old partition.
  expect([routing.mayBegin(0), routing.partitions]).toEqual([true, 2])
  expect(waits).toEqual(['new partition', 'rerouted'])
})
