import { expect, it } from '@jest/globals'
import { OffsetTracker } from '../offsets/offset-tracker.ts'
import { PartitionLane } from './assigned-partition.ts'

it('reads what was finished relative to its commit, also when the log begins after it', () => {
  const earlier = new OffsetTracker(10, '')
  for (let offset = 10; offset < 30; offset++) earlier.take(offset)
  earlier.finish(20)
  const { offset: committed, metadata } = earlier.position()
  const at = { topic: 't', partition: 0, metadata, end: 30 }
  const lane = new PartitionLane({ ...at, committed, logStart: 15 })
  expect(lane.next).toBe(15)
  const taken = [15, 19, 20, 21].map((offset) => lane.take(offset, 1))
  expect(taken).toEqual(['new', 'new', 'finished', 'new'])
  expect(lane.position().offset).toBe(15)
})

it('is crowded when one open offset keeps very many finished ones', () => {
  const lane = new PartitionLane({ topic: 't', partition: 0, committed: 0, metadata: '', end: 0 })
  for (let offset = 0; offset < 30_000; offset++) lane.take(offset, 1)
  for (let offset = 1; offset < 30_000; offset++) lane.finish(offset)
  expect(lane.position().complete).toBe(true)
  expect(lane.crowded).toBe(true)
  lane.finish(0)
  lane.position()
  expect(lane.crowded).toBe(false)
})
