import { expect, it } from '@jest/globals'
import { OffsetTracker } from '../offsets/offset-tracker.ts'
import { AssignedPartition } from './assigned-partition.ts'

/** Both owners have read 100 messages, of which these are finished. */
function assignmentWith(finished: readonly number[]): AssignedPartition {
  const assignment = new AssignedPartition({
    topic: 't',
    partition: 0,
    committed: 0,
    metadata: '',
    end: 100,
  })
  for (let offset = 0; offset < 100; offset++) assignment.take(offset, 1)
  for (const offset of finished) assignment.finish(offset)
  return assignment
}

function commitOf(finished: readonly number[]) {
  const tracker = new OffsetTracker(0, '')
  for (let offset = 0; offset < 100; offset++) tracker.take(offset)
  for (const offset of finished) tracker.finish(offset)
  return tracker.position()
}

it.each<{ what: string; own: number[]; other: number[]; covers: boolean }>([
  { what: 'nothing', own: [], other: [], covers: true },
  { what: 'the same', own: [0, 1, 5, 6, 9], other: [0, 1, 5, 6, 9], covers: true },
  { what: 'less, below the own commit', own: [0, 1, 2, 3], other: [0, 2], covers: true },
  { what: 'less, inside a range above it', own: [3, 4, 5, 6], other: [4, 5], covers: true },
  { what: 'one more at the commit', own: [0, 1], other: [0, 1, 2], covers: false },
  { what: 'one more above it', own: [0, 5], other: [0, 5, 7], covers: false },
  { what: 'a range that is longer to the left', own: [4, 5, 6], other: [3, 4, 5], covers: false },
  { what: 'a range that is longer to the right', own: [4, 5, 6], other: [6, 7], covers: false },
  { what: 'a range over an open one', own: [0, 3, 5], other: [0, 3, 4, 5], covers: false },
])('covers a commit by its finished offsets: $what', ({ own, other, covers }) => {
  expect(assignmentWith(own).covers(commitOf(other))).toBe(covers)
})

it('covers a missing commit', () => {
  expect(assignmentWith([0]).covers({ offset: -1, metadata: null })).toBe(true)
})
