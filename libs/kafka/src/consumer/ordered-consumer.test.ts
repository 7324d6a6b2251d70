import { describe, expect, it } from '@jest/globals'
import { pino } from 'pino'
import { GatheredCommits } from './gathered-commits.ts'
import { handleUntilDone } from './ordered-consumer.ts'

const log = pino({ level: 'silent' })
const working = new AbortController().signal

type Payload = Parameters<typeof handleUntilDone>[0]

/** A batch of one partition, as kafkajs gives it; `commits` says what becomes of each commit. */
function batchWith(commits: readonly (Error | null)[]) {
  const calls: string[] = []
  const left = [...commits]
  const payload: Partial<Payload> = {
    batch: {
      topic: 't',
      partition: 3,
      messages: [],
      firstOffset: () => '5',
      lastOffset: () => '9',
    } as unknown as Payload['batch'],
    isStale: () => false,
    heartbeat: async () => {},
    resolveOffset: (offset) => void calls.push(`resolve ${offset}`),
    async commitOffsetsIfNecessary(offsets) {
      calls.push(`commit ${offsets?.topics[0]?.partitions[0]?.offset}`)
      const err = left.shift()
      if (err) throw err
    },
  }
  const handling = {
    groupId: 'g',
    commits: new GatheredCommits(),
    log,
    handleBatch: async () => void calls.push('handle'),
  }
  return { calls, done: () => handleUntilDone(payload as Payload, handling, working) }
}

const failure = (type: string) => Object.assign(new Error(type), { type })

describe('handleUntilDone', () => {
  it('repeats a commit that failed, and goes on only then', async () => {
    const { calls, done } = batchWith([failure('GROUP_LOAD_IN_PROGRESS'), null])
    expect(await done()).toBe(true)
    expect(calls).toEqual(['handle', 'commit 10', 'commit 10', 'resolve 9'])
  })

  it('joins the group again when the commit says that it is a member no more', async () => {
    const { calls, done } = batchWith([failure('ILLEGAL_GENERATION')])
    await expect(done()).rejects.toThrow('ILLEGAL_GENERATION')
    expect(calls).toEqual(['handle', 'commit 10'])
  })
})
