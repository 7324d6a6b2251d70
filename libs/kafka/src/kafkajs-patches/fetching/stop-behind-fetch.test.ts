import { createRequire } from 'node:module'
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals'
import { restoreMethods } from '../replace-methods.ts'
import { stopDuringFetch } from './stop-behind-fetch.ts'

type Runner = { start(): Promise<void>; stop(): Promise<void>; consumerGroup: object }

const internal = createRequire(import.meta.url)
const RunnerOfKafkajs = internal('kafkajs/src/consumer/runner') as {
  new (options: object): Runner
}
const ConsumerGroup = internal('kafkajs/src/consumer/consumerGroup') as {
  prototype: { fetch(nodeId: string): Promise<object[]> }
}

const silent = () => undefined
const logger = { namespace: () => logger, debug: silent, info: silent, warn: silent, error: silent }

beforeEach(restoreMethods)
afterEach(() => {
  restoreMethods()
  jest.restoreAllMocks()
})

/**
 * A running group whose brokers have no records. A broker answers a fetch when its `answer` settles.
 */
function running(answer: Promise<object[]>, nodeIds = () => ['1'], others = answer) {
  const answerOf = async (nodeId: string) => (nodeId === '1' ? answer : others)
  jest.spyOn(ConsumerGroup.prototype, 'fetch').mockImplementation(answerOf)
  stopDuringFetch()
  const hungUp: string[] = []
  const connection = (name: string) => ({
    rejectRequests: () => void hungUp.push(`${name}: requests`),
    disconnect: async () => hungUp.push(`${name}: connection`),
    socket: { destroy: () => void hungUp.push(`${name}: socket`) },
  })
  const pool = [connection('others'), connection('fetches')]
  const consumerGroup = Object.assign(Object.create(ConsumerGroup.prototype), {
    ...{ groupId: 'g', memberId: 'm', left: false, hungUp },
    cluster: { brokerPool: { brokers: { 1: { connectionPool: { pool } } } } },
    connect: async () => undefined,
    joinAndSync: async () => undefined,
    getNodeIds: nodeIds,
    heartbeat: async () => undefined,
    leave: async () => {
      consumerGroup.left = true
    },
  })
  const onCrash = (err: Error) => {
    throw err
  }
  const instrumentationEmitter = { emit: silent }
  const runner = new RunnerOfKafkajs({
    ...{ logger, consumerGroup, instrumentationEmitter, onCrash },
    ...{ concurrency: 1, heartbeatInterval: 1_000, eachBatch: async () => undefined },
  })
  return { runner, consumerGroup }
}

it('stops and leaves the group while a fetch is under way', async () => {
  const { runner, consumerGroup } = running(new Promise(() => undefined))
  await runner.start()
  await runner.stop()
  expect(consumerGroup.left).toBe(true)
})

it('hangs up only the connection with the fetch, so that disconnecting does not wait for it', async () => {
  const { runner, consumerGroup } = running(new Promise(() => undefined))
  await runner.start()
  await runner.stop()
  const expected = ['fetches: requests', 'fetches: connection', 'fetches: socket']
  expect(consumerGroup.hungUp).toEqual(expected)
})

it('ignores a fetch that fails later, when its connection is closed', async () => {
  const answer = Promise.withResolvers<object[]>()
  const { runner, consumerGroup } = running(answer.promise)
  await runner.start()
  await runner.stop()
  answer.reject(new Error('Closed connection'))
  await new Promise((resolve) => setImmediate(resolve))
  expect(consumerGroup.left).toBe(true)
})

it('stops while kafkajs waits for a fetch to start its fetchers again', async () => {
  let brokers = ['1', '2']
  let asked = 0
  const nodeIds = () => {
    asked++
    // Fetchers that nobody stops ask for ever, and no time limit of a test would end them.
    if (asked > 1_000) throw new Error('The fetchers were not stopped')
    return brokers
  }
  const other = Promise.withResolvers<object[]>()
  const { runner, consumerGroup } = running(new Promise(() => undefined), nodeIds, other.promise)
  await runner.start()
  brokers = ['1']
  other.resolve([])
  await new Promise((resolve) => setImmediate(resolve))
  await runner.stop()
  expect(consumerGroup.left).toBe(true)
  expect(asked).toBeLessThan(20)
})
