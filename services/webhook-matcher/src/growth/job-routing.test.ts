import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from '@jest/globals'
import { AssignedPartition } from '@surehook/kafka/windowed/assigned-partition'
import { JobRouting } from './job-routing.ts'

type Commit = { committed: number; isAdded: boolean; metadata: string | null }

function setUp(commit: Commit, partitions = 2) {
  const at = { topic: 'changes', partition: 0, end: 0, ...commit }
  const assignment = new AssignedPartition(at)
  const control = { partitions, commitSoon: () => void (assignment.dirty = true) }
  const waits: string[] = []
  let pass = () => {}
  const wait = (what: string) => async () => {
    waits.push(what)
    await new Promise<void>((resolve) => {
      pass = resolve
    })
  }
  let ready = 0
  const routing = new JobRouting({
    ...{ assignment, control },
    gate: { newPartition: wait('new partition'), forwarded: wait('forwarded') },
    onReady: () => void ready++,
    onFault: (err) => {
      throw err
    },
  })
  const passes = async () => {
    pass()
    await turn()
  }
  return { routing, assignment, control, waits, passes, ready: () => ready }
}

const earlierVersion = { committed: 5, isAdded: false, metadata: null }

it('goes on with the number of its topic after an upgrade', () => {
  const { routing, waits } = setUp(earlierVersion)
  expect([routing.mayBegin(0), routing.partitions, waits]).toEqual([true, 2, []])
})

it('uses more partitions only when earlier jobs have moved', async () => {
  const { routing, control, waits, passes, ready } = setUp(earlierVersion)
  control.partitions = 4
  expect(routing.mayBegin(1)).toBe(false)
  expect(waits).toEqual([])
  expect(routing.mayBegin(0)).toBe(false)
  expect([waits, routing.partitions]).toEqual([['forwarded'], 2])
  await passes()
  expect([ready(), routing.mayBegin(0), routing.partitions]).toEqual([1, true, 4])
})

it('the next owner goes on with the number of the commit', async () => {
  const { routing, assignment } = setUp(earlierVersion)
  expect(routing.mayBegin(0)).toBe(true)
  const { metadata } = assignment.position()
  const next = setUp({ ...earlierVersion, metadata }, 4)
  expect(next.routing.partitions).toBe(2)
  expect(next.routing.mayBegin(0)).toBe(false)
  await next.passes()
  const after = setUp({ ...earlierVersion, metadata: next.assignment.position().metadata }, 4)
  expect([after.routing.mayBegin(0), after.routing.partitions]).toEqual([true, 4])
})

it('begins a new partition only when the earlier changes of its records are matched', async () => {
  const { routing, assignment, waits, passes } = setUp(
    { committed: 0, isAdded: true, metadata: null },
    4,
  )
  expect(routing.mayBegin(0)).toBe(false)
  expect([waits, assignment.mayCommit]).toEqual([['new partition'], false])
  await passes()
  expect([routing.mayBegin(0), assignment.mayCommit, assignment.dirty]).toEqual([true, true, true])
})
