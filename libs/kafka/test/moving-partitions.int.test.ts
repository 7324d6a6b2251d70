import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { silent } from '@surehook/testing/database'
import { makeTopic, testKafka } from '@surehook/testing/kafka'
import { until } from '@surehook/testing/until'
import type { Admin, Kafka } from '../src/client/surface.ts'
import { type EventProducer, openProducer } from '../src/producer/producer.ts'
import type { PartitionHandler } from '../src/windowed/partition-handler.ts'
import { WindowedConsumer } from '../src/windowed/windowed-consumer.ts'
import type { WindowedMessage } from '../src/windowed/windowed-message.ts'
import { ChildMember } from './child-member.ts'
import { joinEagerly } from './eager-member.ts'

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

const cooperative = 'surehook-co-partition-cooperative'
const eager = 'surehook-co-partition'

async function group(groupId: string) {
  const { groups } = await admin.describeGroups([groupId])
  return { state: groups[0]?.state, protocol: groups[0]?.protocol }
}

/** The owners of each partition over all members of a group. Two owners at a time are a fault. */
class Owners {
  readonly #of = new Map<number, Set<Member>>()
  readonly shared: number[] = []

  gained(partition: number, member: Member): void {
    const owners = this.#of.get(partition) ?? new Set()
    this.#of.set(partition, owners.add(member))
    if (owners.size > 1) this.shared.push(partition)
  }

  lost(partition: number, member: Member): void {
    this.#of.get(partition)?.delete(member)
  }
}

/**
 * A member that finishes a message at once, unless the test holds its partition or the partition is
 * draining.
 */
class Member implements AsyncDisposable, PartitionHandler {
  readonly owned = new Set<number>()
  readonly handled: { partition: number; offset: number }[] = []
  readonly isDraining = new Set<number>()
  /** Partitions whose work ends only when the test releases it. */
  readonly held = new Set<number>()
  readonly consumer: WindowedConsumer
  readonly #owners: Owners
  readonly #inFlight = new Map<number, WindowedMessage[]>()
  #waiting: WindowedMessage[] = []
  readonly #timer = setInterval(() => this.#startWaiting(), 10)

  constructor(at: { groupId: string; topic: string; owners: Owners; kafka?: Kafka }) {
    this.consumer = new WindowedConsumer({
      kafka: at.kafka ?? testKafka(),
      groupId: at.groupId,
      topics: [at.topic],
      window: { messages: 500, bytes: 1_000_000 },
      commitIntervalMs: 5,
      drainMs: 60_000,
      handler: this,
      log: silent,
    })
    this.#owners = at.owners
  }

  handle(message: WindowedMessage): void {
    this.#waiting.push(message)
  }

  assigned(partition: number): void {
    this.owned.add(partition)
    this.#owners.gained(partition, this)
  }

  revoked(partition: number): void {
    this.owned.delete(partition)
    this.isDraining.delete(partition)
    this.#owners.lost(partition, this)
  }

  drain(partition: number, isDraining: boolean): void {
    if (isDraining) this.isDraining.add(partition)
    else this.isDraining.delete(partition)
  }

  get inFlight(): number {
    return [...this.#inFlight.values()].flat().length
  }

  inFlightOf(partition: number): number {
    return this.#inFlightAt(partition).length
  }

  release(partition: number): void {
    this.held.delete(partition)
    for (const message of this.#inFlight.get(partition) ?? []) this.#finish(message)
    this.#inFlight.delete(partition)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    await this.consumer[Symbol.asyncDispose]()
  }

  #inFlightAt(partition: number): WindowedMessage[] {
    return this.#inFlight.get(partition) ?? []
  }

  #startWaiting(): void {
    const waiting = this.#waiting.filter(({ lease }) => !lease.aborted)
    this.#waiting = []
    for (const message of waiting) {
      const { partition } = message
      if (!this.consumer.mayStart || this.isDraining.has(partition)) this.#waiting.push(message)
      else if (!this.held.has(partition)) this.#finish(message)
      else this.#inFlight.set(partition, [...this.#inFlightAt(partition), message])
    }
  }

  #finish(message: WindowedMessage): void {
    this.handled.push({ partition: message.partition, offset: message.offset })
    message.finish()
  }
}

async function setUp(partitions: number) {
  // As on the topics of the platform: members read their own records from memory.
  const config = { 'message.timestamp.type': 'LogAppendTime' }
  const topic = await makeTopic(kafka, { partitions, config })
  const groupId = `group-${topic}`
  const owners = new Owners()
  let published = 0
  return {
    ...{ topic, groupId, owners },
    open: () => new Member({ groupId, topic, owners }),
    /** Sends about one message to each partition. */
    async publish(): Promise<void> {
      const records = Array.from({ length: 64 }, () => ({
        ...{ topic, key: String(published++), value: Buffer.from('a job') },
      }))
      await producer.send(records)
    },
  }
}

it('keeps working on the partitions that stay, and drains those that move before another member gets them', async () => {
  const { open, publish, owners, groupId } = await setUp(4)
  await using first = open()
  await first.consumer.start()
  await until(() => first.owned.size === 4)
  for (const partition of [0, 1, 2, 3]) first.held.add(partition)
  await publish()
  await until(() => [0, 1, 2, 3].every((partition) => first.inFlightOf(partition) > 0))
  await using second = open()
  await second.consumer.start()
  await until(() => first.isDraining.size === 2)
  const [one = -1, other = -1] = first.isDraining
  const staying = [0, 1, 2, 3].filter((partition) => !first.isDraining.has(partition))
  for (const partition of staying) first.release(partition)
  const before = first.handled.length
  await publish()
  const later = () => first.handled.slice(before)
  await until(() => staying.every((mine) => later().some(({ partition }) => partition === mine)))
  expect(second.owned.size).toBe(0)
  await until(async () => (await group(groupId)).protocol === cooperative)
  first.release(one)
  await until(() => second.owned.has(one))
  expect(second.owned.has(other)).toBe(false)
  first.release(other)
  await until(() => second.owned.has(other) && first.owned.size === 2)
  await publish()
  await until(() => [one, other].every((p) => second.handled.some((h) => h.partition === p)))
  const all = [...first.handled, ...second.handled].map((h) => `${h.partition}/${h.offset}`)
  expect(new Set(all).size).toBe(all.length)
  expect(owners.shared).toEqual([])
})

it('reads, commits and starts while the group waits for a member that does not answer', async () => {
  const { open, publish, owners, groupId, topic } = await setUp(4)
  await using first = open()
  await first.consumer.start()
  using silentOne = new ChildMember('silent', groupId, topic)
  await until(() => silentOne.count('assigned') === 2)
  await until(async () => (await group(groupId)).state === 'Stable')
  silentOne.standStill()
  await using second = open()
  const joined = second.consumer.start()
  await until(async () => (await group(groupId)).state === 'PreparingRebalance')
  const before = first.handled.length
  await publish()
  await until(() => first.handled.length > before + 8)
  const committed = async () => {
    const [of] = await admin.fetchOffsets({ groupId, topics: [topic] })
    return of?.partitions.reduce((sum, { offset }) => sum + Math.max(0, Number(offset)), 0) ?? 0
  }
  await until(async () => (await committed()) >= first.handled.length)
  expect((await group(groupId)).state).toBe('PreparingRebalance')
  await joined
  await until(() => first.owned.size === 2 && second.owned.size === 2)
  expect(owners.shared).toEqual([])
})

it('continues when the leader dies between the two phases', async () => {
  const { open, publish, owners, groupId, topic } = await setUp(6)
  using leader = new ChildMember('leader', groupId, topic)
  await until(() => leader.count('assigned') === 6)
  await using second = open()
  await second.consumer.start()
  await until(() => second.owned.size === 3)
  for (const partition of second.owned) second.held.add(partition)
  await publish()
  await until(() => [...second.owned].every((partition) => second.inFlightOf(partition) > 0))
  await using third = open()
  await third.consumer.start()
  await until(() => second.isDraining.size === 1)
  const [moving = -1] = second.isDraining
  leader[Symbol.dispose]()
  // The two remaining members divide the leader's partitions. Neither has to release one.
  await until(() => second.owned.size === 3 && third.owned.size === 3, { timeoutMs: 40_000 })
  await until(() => second.isDraining.size === 0)
  expect(second.owned.has(moving)).toBe(true)
  for (const partition of second.owned) second.release(partition)
  await until(() => second.handled.some(({ partition }) => partition === moving))
  expect(owners.shared).toEqual([])
})

it('drains everything before a join while a member of the previous version is in the group', async () => {
  const { open, publish, owners, groupId, topic } = await setUp(4)
  let given: readonly number[] = []
  const onJoin = (partitions: readonly number[]) => {
    given = partitions
  }
  const old = await joinEagerly(kafka, { groupId, topic, onJoin })
  await using first = open()
  await first.consumer.start()
  await until(() => first.owned.size === 2 && given.length === 2)
  await until(async () => (await group(groupId)).protocol === eager)
  for (const partition of first.owned) first.held.add(partition)
  await publish()
  await until(() => [...first.owned].every((partition) => first.inFlightOf(partition) > 0))
  await using second = open()
  const joined = second.consumer.start()
  await until(() => first.isDraining.size === 2)
  expect(second.owned.size).toBe(0)
  for (const partition of first.owned) first.release(partition)
  await joined
  await until(() => first.owned.size + second.owned.size + given.length === 4)
  await old.disconnect()
  await until(() => first.owned.size === 2 && second.owned.size === 2)
  await until(async () => (await group(groupId)).protocol === cooperative)
  expect(owners.shared).toEqual([])
})
