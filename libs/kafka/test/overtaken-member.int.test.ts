import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { silent } from '@surehook/testing/database'
import { makeTopic, testKafka } from '@surehook/testing/kafka'
import { until } from '@surehook/testing/until'
import type { Admin } from '../src/client/surface.ts'
import { type EventProducer, openProducer } from '../src/producer/producer.ts'
import { ChildMember } from './child-member.ts'

const kafka = testKafka()
let admin: Admin
let producer: EventProducer

beforeAll(async () => {
  admin = kafka.admin()
  await admin.connect()
  producer = await openProducer(kafka, { log: silent })
})
afterAll(async () => {
  await producer[Symbol.asyncDispose]()
  await admin.disconnect()
})

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i)

async function publish(topic: string, count: number): Promise<void> {
  const value = Buffer.from('a job')
  await producer.send(Array.from({ length: count }, () => ({ topic, key: 'key', value })))
}

async function committed(groupId: string, topic: string): Promise<number> {
  const [of] = await admin.fetchOffsets({ groupId, topics: [topic] })
  return Number(of?.partitions[0]?.offset)
}

async function members(groupId: string): Promise<number> {
  const { groups } = await admin.describeGroups([groupId])
  return groups[0]?.members.length ?? 0
}

type Member = { member: ChildMember; topic: string; groupId: string }

/**
 * The member received 50 of 100 messages, which fill its window, and has finished 20. Its name
 * makes it the first choice.
 */
async function openMember(): Promise<Member> {
  const topic = await makeTopic(kafka)
  const groupId = `group-${topic}`
  await publish(topic, 50)
  const member = new ChildMember('a', groupId, topic)
  await until(() => member.handed.length === 50)
  await publish(topic, 50)
  member.finishBelow(20)
  await until(async () => (await committed(groupId, topic)) === 20)
  return { member, topic, groupId }
}

it('a stopped member continues with what another owner has left of its partition', async () => {
  const { member, topic, groupId } = await openMember()
  using first = member
  using second = new ChildMember('b', groupId, topic)
  await until(() => first.count('goes on') > 0)
  const given = first.handed.length
  first.standStill()
  await until(() => second.count('assigned') === 1)
  await until(() => {
    second.finishBelow(90)
    return second.handed.length === 80
  })
  await until(async () => (await committed(groupId, topic)) === 90)
  expect(second.handed).toEqual(range(20, 100))

  second[Symbol.dispose]()
  await until(async () => (await members(groupId)) === 0)

  const seen: number[] = []
  // Messages that it finishes before it learns that it lost its membership cannot be committed, and
  // must not block it.
  first.finishBelow(60)
  first.goOn()
  await until(async () => {
    seen.push(await committed(groupId, topic))
    // It may try to finish everything that it still holds.
    first.finishBelow(60)
    return first.handed.length > given && first.handed.at(-1) === 99
  })
  // Before that it may have got some that it had already fetched.
  expect(first.handed.slice(-10)).toEqual(range(90, 100))
  await until(() => {
    first.finishBelow(60)
    return first.live === 10
  })
  first.finishBelow(100)
  await until(async () => (await committed(groupId, topic)) === 100)
  expect(Math.min(...seen)).toBe(90)
})

it('a stopped member leaves partitions to their new owner', async () => {
  const { member, topic, groupId } = await openMember()
  using first = member
  using second = new ChildMember('b', groupId, topic)
  await until(async () => (await members(groupId)) === 2)
  await until(() => first.count('goes on') > 0)
  const given = first.handed.length
  first.standStill()
  await until(() => second.count('assigned') === 1)
  first.goOn()
  await until(() => first.count('revoked') === 1)
  first.finishBelow(60)
  await until(() => first.live === 0)
  await until(() => {
    second.finishBelow(100)
    return second.handed.length === 80
  })
  await until(async () => (await committed(groupId, topic)) === 100)
  expect(second.handed).toEqual(range(20, 100))
  expect(first.handed).toHaveLength(given)
  expect(second.count('revoked')).toBe(0)
})

it('a member that was away receives no message again if nobody took over', async () => {
  const { member, topic, groupId } = await openMember()
  using alone = member
  const given = alone.handed.length
  alone.standStill()
  await until(async () => (await members(groupId)) === 0)
  const before = alone.count('goes on')
  alone.finishBelow(30)
  alone.goOn()
  await until(() => alone.count('goes on') > before)
  // It still holds its messages, and may commit those that it has finished since.
  await until(async () => (await committed(groupId, topic)) === 30)
  await until(() => {
    alone.finishBelow(100)
    return alone.handed.length >= 100
  })
  await until(async () => (await committed(groupId, topic)) === 100)
  expect(alone.handed).toEqual(range(0, 100))
  expect(alone.count('revoked')).toBe(0)
  expect(given).toBeLessThan(100)
})
