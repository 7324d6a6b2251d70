import { expect, it } from '@jest/globals'
import { OffsetTracker } from '../offsets/offset-tracker.ts'
import { AssignedPartition } from './assigned-partition.ts'

it('reads finished offsets relative to its commit, even if the log begins after it', () => {
  const earlier = new OffsetTracker(10, '')
  for (let offset = 10; offset < 30; offset++) earlier.take(offset)
  earlier.finish(20)
  const { offset: committed, metadata } = earlier.position()
  const at = { topic: 't', partition: 0, metadata, end: 30 }
  const assignment = new AssignedPartition({ ...at, committed, logStart: 15 })
  expect(assignment.next).toBe(15)
  const taken = [15, 19, 20, 21].map((offset) => assignment.take(offset, 1))
  expect(taken).toEqual(['new', 'new', 'finished', 'new'])
  expect(assignment.position().offset).toBe(15)
})

it('is crowded when one open offset holds back very many finished ones', () => {
  const assignment = new AssignedPartition({
    topic: 't',
    partition: 0,
    committed: 0,
    metadata: '',
    end: 0,
  })
  for (let offset = 0; offset < 30_000; offset++) assignment.take(offset, 1)
  for (let offset = 1; offset < 30_000; offset++) assignment.finish(offset)
  expect(assignment.position().complete).toBe(true)
  expect(assignment.crowded).toBe(true)
  assignment.finish(0)
  assignment.position()
  expect(assignment.crowded).toBe(false)
})
