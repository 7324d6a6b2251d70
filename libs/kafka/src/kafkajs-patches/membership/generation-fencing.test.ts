import { createRequire } from 'node:module'
import { expect, it } from '@jest/globals'
import { restoreMethods } from '../replace-methods.ts'
import { fenceGenerations } from './generation-fencing.ts'

type Membership = { commitOffsets: (offsets: object) => Promise<void> }
type Group = { offsetManager: Membership; commitOffsets: (offsets: object) => Promise<void> }

const internal = createRequire(import.meta.url)
const ConsumerGroup = internal('kafkajs/src/consumer/consumerGroup') as { prototype: Group }
const Runner = internal('kafkajs/src/consumer/runner') as { prototype: Membership }

restoreMethods()
fenceGenerations()

it('retries a commit only under the membership in which it began', async () => {
  const sent: string[] = []
  const membership = (name: string): Membership => ({
    async commitOffsets() {
      sent.push(name)
      throw new Error('the connection was lost')
    },
  })
  const group: Group = Object.assign(Object.create(ConsumerGroup.prototype), {
    offsetManager: membership('first'),
  })
  const commit = { topics: [] }
  await expect(group.commitOffsets(commit)).rejects.toThrow('lost')
  await expect(group.commitOffsets(commit)).rejects.toThrow('lost')
  group.offsetManager = membership('second')
  await expect(group.commitOffsets(commit)).rejects.toMatchObject({ retriable: false })
  await expect(group.commitOffsets({ topics: [] })).rejects.toThrow('lost')
  expect(sent).toEqual(['first', 'first', 'second'])
})

it('rejects a commit of a consumer that is not running', async () => {
  const offsetManager: Membership = { commitOffsets: async () => {} }
  const consumerGroup = Object.assign(Object.create(ConsumerGroup.prototype), { offsetManager })
  const log = { debug() {} }
  const retrier = (attempt: (bail: () => void) => Promise<void>) => attempt(() => {})
  const runner = Object.assign(Object.create(Runner.prototype), {
    ...{ consumerGroup, logger: log, retrier, running: false },
  })
  await expect(runner.commitOffsets({ topics: [] })).rejects.toThrow('does not run')
  runner.running = true
  await expect(runner.commitOffsets({ topics: [] })).resolves.toBeUndefined()
  // The consumer crashes while the request is under way, and the request fails.
  offsetManager.commitOffsets = async () => {
    runner.running = false
    throw new Error('the connection was lost')
  }
  await expect(runner.commitOffsets({ topics: [] })).rejects.toThrow('does not run')
})
