import { createRequire } from 'node:module'
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import { restoreMethods } from '../replace-methods.ts'
import { backOffIdleTopics, fetchWithBackoff } from './idle-topic-backoff.ts'
import { sleepWhilePaused } from './paused-sleep.ts'

type FetchRequest = {
  maxWaitTime: number
  minBytes: number
  topics: { topic: string; partitions: { partition: number }[] }[]
}
type Group = {
  readonly subscriptionState: {
    assign(to: { topic: string; partitions: number[] }[]): void
    pause(at: { topic: string; partitions: number[] }[]): void
  }
  fetch(nodeId: string): Promise<{ topic: string; partition: number }[]>
  seek(at: { topic: string; partition: number; offset: string }): void
}

const internal = createRequire(import.meta.url)
const ConsumerGroup = internal('kafkajs/src/consumer/consumerGroup') as { prototype: Group }
const SubscriptionState = internal('kafkajs/src/consumer/subscriptionState') as new () => {
  assign(to: { topic: string; partitions: number[] }[]): void
}
const SeekOffsets = internal('kafkajs/src/consumer/seekOffsets') as new () => object

let asked: FetchRequest[]
/** Records that the broker has for the next fetch, by topic and partition. */
let there: Map<string, string[]>

const partitions = [0, 1]
const topics = ['jobs', 'retries', 'paused']

/** The fetching part of kafkajs' consumer, with a broker that answers at once. */
function openGroup(groupId: string, assigned = partitions, minBytes = 1): Group {
  const state = new SubscriptionState()
  state.assign(topics.map((topic) => ({ topic, partitions: assigned })))
  const offsets = Object.fromEntries(topics.map((topic) => [topic, { 0: '0', 1: '0' }]))
  const broker = { fetch: async (request: FetchRequest) => answer(request) }
  return Object.assign(Object.create(ConsumerGroup.prototype), {
    ...{
      groupId,
      maxWaitTime: 100,
      minBytes,
      maxBytes: 1,
      preferredReadReplicasPerTopicPartition: {},
    },
    subscriptionState: state,
    seekOffset: new SeekOffsets(),
    logger: { debug() {} },
    offsetManager: {
      committedOffsets: () => offsets,
      nextOffset: () => '0',
      seek: async () => undefined,
      resolveOffsets: async () => undefined,
    },
    cluster: {
      refreshMetadataIfNecessary: async () => undefined,
      findTopicPartitionMetadata: () => partitions.map((id) => ({ partitionId: id, leader: 1 })),
      findBroker: async () => broker,
    },
  }) as Group
}

function answer(request: FetchRequest) {
  asked.push(request)
  const responses = request.topics.map(({ topic, partitions: of }) => ({
    topicName: topic,
    partitions: of.map(({ partition }) => ({
      partition,
      highWatermark: '9',
      abortedTransactions: [],
      messages: (there.get(`${topic}/${partition}`) ?? []).map((offset) => ({ offset })),
    })),
  }))
  return { responses }
}

const askedTopics = () => asked.at(-1)?.topics.map(({ topic }) => topic)

beforeEach(() => {
  jest.useFakeTimers()
  restoreMethods()
  backOffIdleTopics()
  asked = []
  there = new Map()
})
afterEach(() => void jest.useRealTimers())

describe('a consumer with low-traffic topics', () => {
  it('fetches them again after 50 ms, and without them waits no longer than that', async () => {
    fetchWithBackoff('group-1', ['retries', 'paused'], () => false)
    const group = openGroup('group-1')
    await group.fetch('1')
    expect([askedTopics(), asked.at(-1)?.maxWaitTime]).toEqual([topics, 100])
    await group.fetch('1')
    expect([askedTopics(), asked.at(-1)?.maxWaitTime]).toEqual([['jobs'], 50])
    jest.advanceTimersByTime(50)
    await group.fetch('1')
    expect([askedTopics(), asked.at(-1)?.maxWaitTime]).toEqual([topics, 100])
  })

  it('fetches one with records every time, until it has none', async () => {
    fetchWithBackoff('group-2', ['retries', 'paused'], () => false)
    const group = openGroup('group-2')
    there.set('retries/1', ['5', '6'])
    const [batch] = await group.fetch('1')
    expect(batch).toMatchObject({ topic: 'retries', partition: 1 })
    there.clear()
    await group.fetch('1')
    expect(askedTopics()).toEqual(['jobs', 'retries'])
    await group.fetch('1')
    expect(askedTopics()).toEqual(['jobs'])
  })

  it('fetches one at once after a seek', async () => {
    fetchWithBackoff('group-3', ['retries', 'paused'], () => false)
    const group = openGroup('group-3')
    await group.fetch('1')
    group.seek({ topic: 'paused', partition: 1, offset: '3' })
    await group.fetch('1')
    expect(askedTopics()).toEqual(['jobs', 'paused'])
  })

  it('waits longer while it is idle, but never with a topic left out', async () => {
    let isCalm = true
    fetchWithBackoff('group-5', ['retries', 'paused'], () => isCalm)
    const group = openGroup('group-5')
    await group.fetch('1')
    expect([askedTopics(), asked.at(-1)?.maxWaitTime]).toEqual([topics, 2_000])
    await group.fetch('1')
    expect([askedTopics(), asked.at(-1)?.maxWaitTime]).toEqual([['jobs'], 50])
    jest.advanceTimersByTime(50)
    isCalm = false
    await group.fetch('1')
    expect([askedTopics(), asked.at(-1)?.maxWaitTime]).toEqual([topics, 100])
  })

  it('waits equally long with each fetch without low-traffic topics', async () => {
    fetchWithBackoff('group-6', [], () => true)
    const group = openGroup('group-6')
    for (const _ of [1, 2]) {
      await group.fetch('1')
      expect([askedTopics(), asked.at(-1)?.maxWaitTime]).toEqual([topics, 2_000])
    }
  })

  it('waits normally after it had no partitions at first', async () => {
    sleepWhilePaused()
    fetchWithBackoff('group-7', ['retries', 'paused'], () => false)
    const group = openGroup('group-7', [])
    const nothing = group.fetch('1')
    await jest.advanceTimersByTimeAsync(250)
    expect(await nothing).toEqual([])
    group.subscriptionState.assign(topics.map((topic) => ({ topic, partitions })))
    await group.fetch('1')
    expect([askedTopics(), asked.at(-1)?.maxWaitTime]).toEqual([topics, 100])
    await group.fetch('1')
    expect([askedTopics(), asked.at(-1)?.maxWaitTime]).toEqual([['jobs'], 50])
  })

  it('fetches as usual without low-traffic topics, but drops empty batches', async () => {
    const group = openGroup('group-4')
    there.set('jobs/0', ['1'])
    for (const _ of [1, 2]) {
      expect(await group.fetch('1')).toHaveLength(1)
      expect([askedTopics(), asked.at(-1)?.maxWaitTime]).toEqual([topics, 100])
    }
  })

  it('gathers records only when there are some, and waits long for the first one', async () => {
    const group = openGroup('group-8', partitions, 1_000)
    const waits = () => asked.splice(0).map((one) => [one.minBytes, one.maxWaitTime])
    await group.fetch('1')
    expect(waits()).toEqual([[1_000, 100]])
    expect(await group.fetch('1')).toEqual([])
    expect(waits()).toEqual([[1, 2_000]])
    there.set('jobs/0', ['1'])
    expect(await group.fetch('1')).toHaveLength(1)
    await group.fetch('1')
    const gathering = [1_000, 100]
    expect(waits()).toEqual([[1, 2_000], gathering, gathering])
  })

  it('does not wait long while a partition is paused', async () => {
    const group = openGroup('group-9', partitions, 1_000)
    await group.fetch('1')
    group.subscriptionState.pause([{ topic: 'jobs', partitions: [0] }])
    await group.fetch('1')
    expect(asked.at(-1)).toMatchObject({ minBytes: 1_000, maxWaitTime: 100 })
  })

  it('gathers from one broker while it waits long for one that leads no partition', async () => {
    const group = openGroup('group-10', partitions, 1_000)
    const first = group.fetch('2')
    await jest.advanceTimersByTimeAsync(100)
    await first
    const waiting = group.fetch('2')
    await jest.advanceTimersByTimeAsync(500)
    await group.fetch('1')
    expect(asked.at(-1)).toMatchObject({ minBytes: 1_000, maxWaitTime: 100 })
    await jest.advanceTimersByTimeAsync(1_500)
    expect(await waiting).toEqual([])
  })

  it('wakes up every 250 ms while it has no partitions', async () => {
    sleepWhilePaused()
    const group = openGroup('group-11', [], 1_000)
    for (const _ of [1, 2]) {
      const nothing = group.fetch('1')
      await jest.advanceTimersByTimeAsync(250)
      expect(await nothing).toEqual([])
    }
  })
})
