import { createRequire } from 'node:module'
import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals'
import { until } from '@surehook/testing/until'
import { AssignerProtocol, type Consumer, Kafka, logLevel } from 'kafkajs'
import { FakeBroker } from '../../../test/support/fake-broker.ts'
import {
  errorCode,
  everydayAnswers,
  fetched,
  rebalanceInProgress,
  topic,
} from '../../../test/support/kafka-answers.ts'
import { restoreMethods } from '../replace-methods.ts'
import { joinWhileWorking } from './join-while-working.ts'

type Runner = { heartbeat(): Promise<void>; stop(): Promise<void> }
type Group = { joinAndSync(): Promise<void>; resolveOffset(at: object): void }

const internal = createRequire(import.meta.url)
const { prototype: runner } = internal('kafkajs/src/consumer/runner') as { prototype: Runner }
const ConsumerGroup = internal('kafkajs/src/consumer/consumerGroup') as new (
  options: object,
) => Group & Record<string, unknown>
const { KafkaJSProtocolError } = internal('kafkajs/src/errors')

const name = 'assigner'

/** A member that keeps working while it joins, and counts its confirmations. */
const aMember = () => ({
  confirmations: 0,
  isEager: false,
  failures: 0,
  joins() {},
  failed() {
    this.failures++
  },
  goesOn: () => true,
  wantsToJoin() {
    return this.isEager
  },
  confirmed() {
    this.confirmations++
  },
})
type Member = ReturnType<typeof aMember>

const assignerOf = (working: Member) => ({
  ...{ name, version: 0, working },
  protocol: ({ topics }: { topics: string[] }) => ({
    name,
    metadata: AssignerProtocol.MemberMetadata.encode({
      ...{ version: 0, topics, userData: Buffer.alloc(0) },
    }),
  }),
  assign: async () => [],
})

let member: Member

beforeAll(() => {
  restoreMethods()
  joinWhileWorking()
})
beforeEach(() => {
  member = aMember()
})

describe('a member whose group joins again', () => {
  let broker: FakeBroker
  let consumer: Consumer
  let values: string[]

  beforeEach(async () => {
    broker = await FakeBroker.open()
    const brokers = [broker.address]
    const kafka = new Kafka({ clientId: 'test', brokers, logLevel: logLevel.NOTHING })
    values = []
    consumer = kafka.consumer({
      ...{ groupId: 'group', heartbeatInterval: 1 },
      partitionAssigners: [() => assignerOf(member)],
    })
    await consumer.subscribe({ topic })
    const eachMessage = async ({ message }: { message: { value: Buffer | null } }) =>
      void values.push(String(message.value))
    await consumer.run({ autoCommit: false, eachMessage })
  })
  afterEach(async () => {
    await consumer.disconnect()
    await broker[Symbol.asyncDispose]()
  })

  /** Simulates a coordinator that answers join requests only after all members have joined. */
  async function openRebalance() {
    const { JoinGroup, Heartbeat } = everydayAnswers()
    const everyMemberCame = Promise.withResolvers<void>()
    const joins = broker.countOf('JoinGroup')
    broker.answers.JoinGroup = (port) => everyMemberCame.promise.then(() => JoinGroup(port))
    broker.answers.Heartbeat = () => errorCode(rebalanceInProgress)
    await until(() => broker.countOf('JoinGroup') > joins)
    const close = async () => {
      const syncs = broker.countOf('SyncGroup')
      broker.answers.Heartbeat = Heartbeat
      everyMemberCame.resolve()
      await until(() => broker.countOf('SyncGroup') > syncs)
    }
    return { close }
  }

  it('keeps fetching, sending heartbeats and committing', async () => {
    const rebalance = await openRebalance()
    const { length } = broker.received
    await until(() => broker.received.slice(length).filter((one) => one === 'Fetch').length > 1)
    await until(() => broker.received.slice(length).includes('Heartbeat'))
    await until(() => member.confirmations > 0)
    await consumer.commitOffsets([{ topic, partition: 0, offset: '1' }])
    expect(broker.received.slice(length)).not.toContain('SyncGroup')
    await rebalance.close()
  })

  it('joins without being asked when it wants to', async () => {
    const joins = broker.countOf('JoinGroup')
    member.isEager = true
    await until(() => broker.countOf('JoinGroup') > joins)
    member.isEager = false
  })

  it('drops fetches of the previous membership', async () => {
    const rebalance = await openRebalance()
    const late = Promise.withResolvers<void>()
    const fetches = broker.countOf('Fetch')
    broker.answers.Fetch = () => late.promise.then(() => fetched('of the membership before'))
    await until(() => broker.countOf('Fetch') > fetches)
    await rebalance.close()
    broker.answers.Fetch = () => fetched('of this membership')
    late.resolve()
    await until(() => values.length > 0)
    expect(values[0]).toBe('of this membership')
  })
})

describe('the group of a member that joins again', () => {
  const never = new Promise<never>(() => {})
  const rebalance = () =>
    new KafkaJSProtocolError({ type: 'REBALANCE_IN_PROGRESS', code: rebalanceInProgress })

  /**
   * kafkajs' own group, with a coordinator that requests a rebalance and delays the answer to the
   * join.
   */
  function openGroup(joinGroup = (): Promise<never> => never) {
    const asked: string[] = []
    const coordinator = {
      async heartbeat() {
        asked.push('heartbeat')
        throw rebalance()
      },
      async joinGroup() {
        asked.push('join')
        return joinGroup()
      },
    }
    const logger = { namespace: () => logger, debug() {}, info() {} }
    const group = new ConsumerGroup({
      ...{ topics: [topic], groupId: 'group', logger, assigners: [assignerOf(member)] },
      cluster: { findGroupCoordinator: async () => coordinator },
      instrumentationEmitter: { emit() {} },
      retry: { retries: 0 },
    })
    Object.assign(group, { memberId: 'member', generationId: 1, coordinator })
    const running = Object.assign(Object.create(runner), {
      ...{ consumerGroup: group, heartbeatInterval: 1_000, logger, autoCommit: false },
    }) as Runner
    return { asked, group, running }
  }

  afterEach(() => void jest.useRealTimers())

  it('gets no heartbeats from a member whose join takes longer than its lease', async () => {
    jest.useFakeTimers()
    const { asked, running } = openGroup()
    const beat = async () => {
      await jest.advanceTimersByTimeAsync(1_000)
      await running.heartbeat()
    }
    await beat()
    expect(asked).toEqual(['heartbeat', 'join'])
    for (let second = 0; second < 12; second++) await beat()
    expect(asked.filter((one) => one === 'heartbeat')).toHaveLength(13)
    for (let second = 0; second < 5; second++) await beat()
    expect(asked.filter((one) => one === 'heartbeat')).toHaveLength(13)
    expect(member.confirmations).toBe(12)
  })

  it('tells a member of a failed join', async () => {
    const coordinatorLoads = { type: 'GROUP_LOAD_IN_PROGRESS', code: 14 }
    const { group } = openGroup(async () => {
      throw new KafkaJSProtocolError(coordinatorLoads)
    })
    await expect(group.joinAndSync()).rejects.toThrow()
    expect(member.failures).toBe(1)
  })

  it('gets one join at a time', async () => {
    const { asked, group } = openGroup()
    const [first, second] = [group.joinAndSync(), group.joinAndSync()]
    expect(first).toBe(second)
    await until(() => asked.includes('join'))
    expect(asked).toEqual(['join'])
  })

  it('is not joined any more by a consumer that was stopped', async () => {
    const { asked, group, running } = openGroup()
    await running.stop()
    await expect(group.joinAndSync()).rejects.toThrow('the consumer was stopped')
    expect(asked).toEqual([])
  })

  it('accepts the end of a batch whose topic was revoked meanwhile', () => {
    const { group } = openGroup()
    const resolved: object[] = []
    const resolveOffset = (at: object) => void resolved.push(at)
    Object.assign(group, { offsetManager: { memberAssignment: { kept: [0] }, resolveOffset } })
    group.resolveOffset({ topic: 'gone', partition: 0, offset: '1' })
    group.resolveOffset({ topic: 'kept', partition: 0, offset: '2' })
    expect(resolved).toEqual([{ topic: 'kept', partition: 0, offset: '2' }])
  })
})
