import { describe, expect, it, jest } from '@jest/globals'
import { GatheredCommits } from './gathered-commits.ts'

type Payload = Parameters<GatheredCommits['add']>[0]
type Commit = Payload['commitOffsetsIfNecessary']

const payloadOf = (partition: number, lastOffset: string, commit: Commit): Payload =>
  ({
    batch: { topic: partition < 4 ? 'a' : 'b', partition, lastOffset: () => lastOffset },
    commitOffsetsIfNecessary: commit,
  }) as Partial<Payload> as Payload

describe('GatheredCommits', () => {
  it('commits what ends together with one request, and what ends later with the next', async () => {
    const commit = jest.fn<Commit>(async () => {})
    const commits = new GatheredCommits()
    await Promise.all([
      commits.add(payloadOf(1, '9', commit)),
      Promise.resolve().then(() => commits.add(payloadOf(2, '19', commit))),
      commits.add(payloadOf(4, '29', commit)),
    ])
    await commits.add(payloadOf(1, '10', commit))
    const partition = (number: number, offset: string) => ({ partition: number, offset })
    expect(commit.mock.calls).toEqual([
      [
        {
          topics: [
            { topic: 'a', partitions: [partition(1, '10'), partition(2, '20')] },
            { topic: 'b', partitions: [partition(4, '30')] },
          ],
        },
      ],
      [{ topics: [{ topic: 'a', partitions: [partition(1, '11')] }] }],
    ])
  })

  it('tells everybody of a request that it failed, and nobody of the next', async () => {
    const commit = jest.fn<Commit>().mockRejectedValueOnce(new Error('away')).mockResolvedValue()
    const commits = new GatheredCommits()
    const both = [1, 2].map((partition) => commits.add(payloadOf(partition, '9', commit)))
    const outcomes = await Promise.allSettled(both)
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    await commits.add(payloadOf(1, '9', commit))
  })
})
