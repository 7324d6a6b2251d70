import { expect, it } from '@jest/globals'
import { changesTopic } from '@surehook/contracts/topics'
import { fetchGroupCommits } from '../offsets/group-commits.ts'
import { encodeJobPartitions } from '../offsets/job-partitions-note.ts'
import { OffsetTracker } from '../offsets/offset-tracker.ts'
import { unusedPartitions } from './grow-topics.ts'

const noteOf = (jobPartitions: number) =>
  new OffsetTracker(0, '').position(encodeJobPartitions(jobPartitions)).metadata

async function unused(commits: readonly (number | string | null)[]): Promise<number[]> {
  const partitions = commits.map((each, partition) => ({
    partition,
    offset: each === null ? '-1' : '7',
    metadata: typeof each === 'number' ? noteOf(each) : each,
  }))
  const admin = { fetchOffsets: async () => [{ topic: changesTopic, partitions }] }
  const of = { groupId: 'webhook-matcher', topics: [changesTopic] }
  return unusedPartitions(commits.length, await fetchGroupCommits(admin, of))
}

it('webhook-matcher does not use partitions that it has not opened', async () => {
  expect(await unused([4, 4, null, null])).toEqual([2, 3])
})

it('webhook-matcher does not use all partitions for jobs until the earlier jobs are rerouted', async () => {
  expect(await unused([2, 4, 2, 4])).toEqual([0, 2])
  expect(await unused([4, 4, 4, 4])).toEqual([])
})

it('a new installation, and one of an earlier version, use all of their partitions', async () => {
  expect(await unused([null, null])).toEqual([])
  expect(await unused(['', ''])).toEqual([])
})
