import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import { pino } from 'pino'
import type { AssignedPartition } from './assigned-partition.ts'
import { CommitFailures } from './commit-failures.ts'
import { CommitLoop, type CommitLoopOptions } from './commit-loop.ts'

const log = pino({ level: 'silent' })
type Commit = CommitLoopOptions['consumer']['commitOffsets']

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

function openLoop() {
  const commitOffsets = jest.fn<Commit>(async () => {})
  const assignment = { topic: 't', partition: 0, dirty: false, uncommitted: 0 }
  const at = { offset: 7, metadata: '', complete: true }
  const position = () => at
  const assignments = () => [
    Object.assign(assignment, { position }) as Partial<AssignedPartition> as AssignedPartition,
  ]
  const failures = new CommitFailures({ groupId: 'g', log })
  const loop = new CommitLoop({
    consumer: { commitOffsets },
    intervalMs: 25,
    assignments,
    failures,
  })
  const finish = (count: number) => {
    for (let n = 0; n < count; n++) {
      assignment.dirty = true
      assignment.uncommitted++
      loop.wake(assignment)
    }
  }
  return { loop, assignment, at, finish, commitOffsets }
}

/** An error in the form that kafkajs passes on. */
const refusal = (type: string) =>
  new Error('refused', { cause: Object.assign(new Error(type), { type }) })

describe('CommitLoop', () => {
  it('commits at once after a pause, and batches what finishes soon after a commit', async () => {
    const { finish, assignment, commitOffsets } = openLoop()
    finish(1)
    await jest.advanceTimersByTimeAsync(1)
    expect(commitOffsets).toHaveBeenCalledTimes(1)
    finish(1)
    await jest.advanceTimersByTimeAsync(23)
    finish(1)
    expect(commitOffsets).toHaveBeenCalledTimes(1)
    await jest.advanceTimersByTimeAsync(1)
    expect(commitOffsets).toHaveBeenCalledTimes(2)
    expect(assignment).toMatchObject({ dirty: false, uncommitted: 0 })
  })

  it('commits many messages of one partition at once', async () => {
    const { finish, commitOffsets } = openLoop()
    finish(32)
    await jest.advanceTimersByTimeAsync(0)
    expect(commitOffsets).toHaveBeenCalledTimes(1)
    await jest.advanceTimersByTimeAsync(100)
    expect(commitOffsets).toHaveBeenCalledTimes(1)
  })

  it('waits longer after long metadata, also when many messages are finished', async () => {
    const { finish, at, commitOffsets } = openLoop()
    at.metadata = 'x'.repeat(60_000)
    finish(32)
    finish(32)
    await jest.advanceTimersByTimeAsync(59)
    expect(commitOffsets).toHaveBeenCalledTimes(1)
    at.metadata = 'x'.repeat(1_000_000)
    await jest.advanceTimersByTimeAsync(1)
    expect(commitOffsets).toHaveBeenCalledTimes(2)
    finish(1)
    await jest.advanceTimersByTimeAsync(99)
    expect(commitOffsets).toHaveBeenCalledTimes(2)
    at.metadata = ''
    await jest.advanceTimersByTimeAsync(1)
    expect(commitOffsets).toHaveBeenCalledTimes(3)
    finish(32)
    await jest.advanceTimersByTimeAsync(0)
    expect(commitOffsets).toHaveBeenCalledTimes(4)
  })

  it('commits again what finished during a commit, and repeats a failed one', async () => {
    const { finish, assignment, commitOffsets } = openLoop()
    const away = Promise.withResolvers<void>()
    commitOffsets.mockReturnValueOnce(away.promise)
    finish(32)
    finish(1)
    away.reject(new Error('away'))
    await jest.advanceTimersByTimeAsync(100)
    expect(commitOffsets).toHaveBeenCalledTimes(2)
    expect(assignment).toMatchObject({ dirty: false, uncommitted: 0 })
  })

  it('has nothing pending while no commit can succeed, until a new membership', async () => {
    const { loop, finish, assignment, commitOffsets } = openLoop()
    commitOffsets.mockRejectedValue(refusal('UNKNOWN_MEMBER_ID'))
    finish(1)
    expect(loop.pending).toBe(true)
    await jest.advanceTimersByTimeAsync(300)
    expect(loop.pending).toBe(false)
    finish(40)
    await jest.advanceTimersByTimeAsync(300)
    expect(commitOffsets).toHaveBeenCalledTimes(1)
    commitOffsets.mockResolvedValue()
    loop.joined()
    await jest.advanceTimersByTimeAsync(300)
    // It is not known yet which partitions are still owned.
    expect(commitOffsets).toHaveBeenCalledTimes(1)
    loop.wake(assignment)
    expect(loop.pending).toBe(true)
    await jest.advanceTimersByTimeAsync(300)
    expect(loop.pending).toBe(false)
    expect(assignment).toMatchObject({ dirty: false, uncommitted: 0 })
  })

  it('continues in a membership that only a former coordinator declared over', async () => {
    const { loop, finish, assignment, commitOffsets } = openLoop()
    commitOffsets.mockRejectedValueOnce(refusal('UNKNOWN_MEMBER_ID'))
    finish(40)
    await jest.advanceTimersByTimeAsync(300)
    expect(assignment).toMatchObject({ dirty: true })
    loop.confirmed()
    await jest.advanceTimersByTimeAsync(300)
    expect(commitOffsets).toHaveBeenCalledTimes(2)
    expect(assignment).toMatchObject({ dirty: false, uncommitted: 0 })
  })

  it('waits for commits that may still succeed: while a rebalance begins, or after the next join', async () => {
    const { loop, finish, commitOffsets } = openLoop()
    commitOffsets.mockRejectedValueOnce(refusal('REBALANCE_IN_PROGRESS'))
    const late = Promise.withResolvers<void>()
    commitOffsets.mockReturnValueOnce(late.promise)
    finish(1)
    await jest.advanceTimersByTimeAsync(125)
    expect(loop.pending).toBe(true)
    await jest.advanceTimersByTimeAsync(25)
    loop.joined()
    late.reject(refusal('ILLEGAL_GENERATION'))
    await jest.advanceTimersByTimeAsync(0)
    expect(loop.pending).toBe(true)
  })

  it('is behind while commits fail for a second, and no longer', async () => {
    const { loop, finish, commitOffsets } = openLoop()
    commitOffsets.mockRejectedValue(new Error('away'))
    finish(1)
    await jest.advanceTimersByTimeAsync(900)
    expect(loop.isBehind).toBe(false)
    finish(1)
    await jest.advanceTimersByTimeAsync(200)
    expect(loop.isBehind).toBe(true)
    commitOffsets.mockResolvedValue()
    await jest.advanceTimersByTimeAsync(200)
    expect(loop.isBehind).toBe(false)
  })

  it('is behind while a commit hangs, counted from the first finished message', async () => {
    const { loop, finish, commitOffsets } = openLoop()
    commitOffsets.mockReturnValueOnce(new Promise(() => undefined))
    finish(32)
    await jest.advanceTimersByTimeAsync(1_100)
    expect(loop.isBehind).toBe(true)
  })

  it('is not behind because of revoked partitions', async () => {
    const { loop, finish, assignment, commitOffsets } = openLoop()
    commitOffsets.mockRejectedValue(refusal('UNKNOWN_MEMBER_ID'))
    finish(1)
    await jest.advanceTimersByTimeAsync(1_100)
    expect(loop.isBehind).toBe(true)
    loop.joined()
    assignment.dirty = false
    loop.assignmentsChanged()
    expect(loop.isBehind).toBe(false)
  })

  it('commits the rest when it is stopped, and nothing after that', async () => {
    const { loop, finish, commitOffsets } = openLoop()
    finish(1)
    await loop.stop()
    expect(commitOffsets).toHaveBeenCalledTimes(1)
    finish(40)
    await jest.advanceTimersByTimeAsync(100)
    expect(commitOffsets).toHaveBeenCalledTimes(1)
  })
})

describe('CommitFailures', () => {
  it('warns once of each of two alternating reasons', () => {
    const warn = jest.spyOn(log, 'warn')
    const failures = new CommitFailures({ groupId: 'g', log })
    for (let n = 0; n < 6; n++) {
      const type = n % 2 === 0 ? 'OFFSET_METADATA_TOO_LARGE' : 'NOT_COORDINATOR_FOR_GROUP'
      failures.failed(refusal(type), false)
    }
    expect(warn).toHaveBeenCalledTimes(2)
    warn.mockRestore()
  })
})
