import type { MemberIdentity } from '../kafkajs-patches/membership/join-while-working.ts'
import { cooperativeProtocol } from './co-partition-assigner.ts'
import type { Claim } from './partition-shares.ts'

export type JoinOutcome = {
  /**
   * True if the membership continued without a break, so that no other member had the kept
   * partitions.
   */
  isContinued: boolean
  /** True if lost partitions may be drained: nobody gets them before this member joins again. */
  mayDrain: boolean
}

/** This process's current or last membership of the group. */
export class GroupMembership {
  #known: MemberIdentity | null = null
  #memberId: string | null = null
  #generation = -1
  #isCooperative = false
  #isJoining = false
  #hasClaimedToKeep = false

  /** Notes that a join begins. */
  joins(member: MemberIdentity): void {
    this.#known = member
    this.#isJoining = true
  }

  /** Notes that a join has failed. @returns true if it was the last one that began */
  failed(member: MemberIdentity): boolean {
    if (member !== this.#known || !this.#isJoining) return false
    this.#isJoining = false
    return true
  }

  get isJoining(): boolean {
    return this.#isJoining
  }

  /** True if the member keeps working on its partitions while it joins again. */
  get goesOn(): boolean {
    const { memberId = null } = this.#known ?? {}
    return this.#isCooperative && memberId !== null && memberId === this.#memberId
  }

  /** Claim that is sent with a join. */
  claim(owned: readonly number[]): Omit<Claim, 'memberId'> {
    this.#hasClaimedToKeep = this.goesOn
    return { owned, generation: this.#generation, isKept: this.goesOn }
  }

  joined({ memberId, groupProtocol }: { memberId: string; groupProtocol: string }): JoinOutcome {
    const isContinued = this.#hasClaimedToKeep && memberId === this.#memberId
    this.#isJoining = false
    this.#memberId = memberId
    this.#generation = this.#known?.generationId ?? -1
    this.#isCooperative = groupProtocol === cooperativeProtocol
    return { isContinued, mayDrain: isContinued && this.#isCooperative }
  }

  /** Notes that the consumer has failed. */
  lost(): void {
    this.#memberId = null
    this.#isJoining = false
  }
}
