import { expect, it } from '@jest/globals'
import kafkajs, { type Assigner } from 'kafkajs'
import { pino } from 'pino'
import { cooperativeProtocol, decodeClaim } from '../../consumer/co-partition-assigner.ts'
import { PartitionReader } from '../../consumer/partition-reader.ts'
import type { WorkingMember } from '../../kafkajs-patches/membership/join-while-working.ts'
import type { LogEnds } from '../../offsets/log-ends.ts'
import { AssignedPartitions } from '../assigned-partitions.ts'
import type { CommitLoop } from '../commit-loop.ts'
import type { AssignedPartitionsOptions } from '../windowed-consumer-options.ts'
import { Rebalance } from './rebalance.ts'

const { AssignerProtocol } = kafkajs
const topic = 't'
const memberId = 'member'

type WorkingAssigner = Assigner & { working: WorkingMember }

/** A member whose partitions never finish loading. */
class Member {
  readonly #assigner: WorkingAssigner
  readonly #rebalance: Rebalance
  #generation = 0

  constructor() {
    const ends = { readLed: () => new Promise(() => {}) } as unknown as LogEnds
    const options = {
      ...{ kafka: { admin: () => ({}) }, topics: [topic], log: pino({ level: 'silent' }) },
      ...{ window: { messages: 16, bytes: 1_000 }, drainMs: 1_000, handler: {} },
      count: { refresh: async () => undefined },
    } as unknown as AssignedPartitionsOptions
    const commits = { pending: false, assignmentsChanged() {} } as unknown as CommitLoop
    const assignments = new AssignedPartitions(options, new PartitionReader(() => null), ends)
    this.#rebalance = new Rebalance({
      ...{ options, assignments, commits, isStopping: () => false, confirmed: () => {} },
    })
    const [assigner] = this.#rebalance.assigners
    if (assigner === undefined) throw new Error('there is no assigner')
    this.#assigner = assigner({ cluster: {} } as never) as WorkingAssigner
  }

  get wantsToJoin(): boolean {
    return this.#assigner.working.wantsToJoin()
  }

  /** Joins the group, and returns the claim that it sends. */
  join(partitions: number[]) {
    const { claim } = this.#beginJoin()
    this.#rebalance.joined({
      ...{ memberId, groupProtocol: cooperativeProtocol },
      memberAssignment: { [topic]: partitions },
    } as never)
    return claim
  }

  /** Sends a claim, and loses the answer. */
  failToJoin() {
    const { member, claim } = this.#beginJoin()
    this.#assigner.working.failed(member)
    return claim
  }

  #beginJoin() {
    const member = { memberId, generationId: ++this.#generation }
    this.#assigner.working.joins(member)
    const { metadata } = this.#assigner.protocol({ topics: [topic] })
    return {
      member,
      claim: decodeClaim(AssignerProtocol.MemberMetadata.decode(metadata)?.userData),
    }
  }
}

it('a partition that moves before it was loaded is released by joining once more', () => {
  const member = new Member()
  member.join([0, 1])
  expect(member.wantsToJoin).toBe(false)
  // It claims both, so the group assigns the one that moves to nobody.
  expect(member.join([0])).toMatchObject({ owned: [0, 1], isKept: true })
  expect(member.wantsToJoin).toBe(true)
  expect(member.join([0])).toMatchObject({ owned: [0], isKept: true })
  expect(member.wantsToJoin).toBe(false)
})

it('a member whose join failed joins once more', () => {
  const member = new Member()
  member.join([0, 1])
  member.join([0])
  expect(member.failToJoin()).toMatchObject({ owned: [0] })
  expect(member.wantsToJoin).toBe(true)
  expect(member.join([0])).toMatchObject({ owned: [0], isKept: true })
  expect(member.wantsToJoin).toBe(false)
})
