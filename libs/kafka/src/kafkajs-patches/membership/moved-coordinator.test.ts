import { createRequire } from 'node:module'
import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals'
import { restoreMethods } from '../replace-methods.ts'
import { followMovedCoordinator } from './moved-coordinator.ts'

type GroupRequest = 'heartbeat' | 'offsetCommit'
type Broker = { name: string; isConnected(): boolean } & Record<GroupRequest, () => Promise<void>>

const internal = createRequire(import.meta.url)
const { prototype: runner } = internal('kafkajs/src/consumer/runner')
const { prototype: group } = internal('kafkajs/src/consumer/consumerGroup')
const OffsetManager = internal('kafkajs/src/consumer/offsetManager')
const { KafkaJSConnectionError, KafkaJSProtocolError } = internal('kafkajs/src/errors')

const gone = () => new KafkaJSConnectionError('connect ECONNREFUSED')
const moved = () =>
  new KafkaJSProtocolError({ type: 'NOT_COORDINATOR_FOR_GROUP', code: 16, retriable: true })

beforeAll(() => {
  restoreMethods()
  followMovedCoordinator()
})
beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

/**
 * A member of a group that it joined through `first`. The cluster now names `found` as coordinator.
 */
function memberOf(
  first: (asked: string[]) => Broker,
  found: (asked: string[]) => Broker | Promise<Broker>,
) {
  const asked: string[] = []
  const cluster = {
    committedOffsets: () => ({}),
    refreshMetadata: async () => {},
    findGroupCoordinator: () => Promise.resolve(found(asked)),
  }
  const common = { cluster, groupId: 'g', memberId: 'm', generationId: 1 }
  const coordinator = first(asked)
  const instrumentationEmitter = { emit: () => undefined }
  const consumerGroup = Object.assign(Object.create(group), common, { coordinator })
  consumerGroup.heartbeat = () => consumerGroup.coordinator.heartbeat()
  const offsets = new OffsetManager({
    ...common,
    ...{ coordinator, instrumentationEmitter, memberAssignment: { t: [0] } },
  })
  const positions = { topics: [{ topic: 't', partitions: [{ partition: 0, offset: '7' }] }] }
  return {
    asked,
    heartbeat: (): Promise<void> =>
      Object.assign(Object.create(runner), { consumerGroup, autoCommit: false }).heartbeat(),
    offsetCommit: (): Promise<void> => offsets.commitOffsets(positions),
  }
}

const broker =
  (name: string, refusal?: () => Error) =>
  (asked: string[]): Broker => {
    const answer = async () => {
      asked.push(name)
      if (refusal !== undefined) throw refusal()
    }
    return { name, isConnected: () => true, heartbeat: answer, offsetCommit: answer }
  }

describe.each<GroupRequest>(['heartbeat', 'offsetCommit'])('%s', (request) => {
  it.each([
    ['is gone', gone],
    ['says that it is another one', moved],
  ])('uses the new coordinator when the previous one %s', async (_, refusal) => {
    const member = memberOf(broker('a', refusal), broker('b'))
    await member[request]()
    await member[request]()
    expect(member.asked).toEqual(['a', 'b', 'b'])
  })

  it('fails with the original error when no other coordinator is known', async () => {
    const member = memberOf(broker('a', gone), () => Promise.reject(new Error('no broker answers')))
    await expect(member[request]()).rejects.toThrow('ECONNREFUSED')
    expect(member.asked).toEqual(['a'])
  })

  it('fails with the original error while the search runs, and continues after it', async () => {
    const search = Promise.withResolvers<Broker>()
    let searches = 0
    const member = memberOf(broker('a', gone), () => {
      searches++
      return search.promise
    })
    const tries = [1, 2].map(async () => {
      const failed = member[request]().catch(String)
      await jest.advanceTimersByTimeAsync(3_000)
      return failed
    })
    for (const failed of await Promise.all(tries)) expect(failed).toContain('ECONNREFUSED')
    expect(searches).toBe(1)
    search.resolve(broker('b')(member.asked))
    await member[request]()
    expect(member.asked.at(-1)).toBe('b')
  })

  it('searches for no other coordinator when this one refuses', async () => {
    const refusal = () => new KafkaJSProtocolError({ type: 'ILLEGAL_GENERATION', code: 22 })
    const member = memberOf(broker('a', refusal), broker('b'))
    await expect(member[request]()).rejects.toMatchObject({ type: 'ILLEGAL_GENERATION' })
    expect(member.asked).toEqual(['a'])
  })
})
