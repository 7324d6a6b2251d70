import type { KnownMember } from '../kafkajs-patches/membership/join-while-working.ts'
import { cooperativeProtocol } from './co-partition-assigner.ts'
import type { Claim } from './partition-shares.ts'

export type Joined = {
  /** It was a member without a break: nobody else has had the partitions that it keeps. */
  isContinued: boolean
  /** What it does not keep nobody is given before it has joined again. */
  mayDrain: boolean
}

/** What this process knows of its membership of the group, the present one or the last. */
export class GroupMembership {
  #known: KnownMember | null = null
  #memberId: string | null = null
  #generation = -1
  #isCooperative = false
  #isJoining = false
  #hasClaimedToKeep = false

  /** A join begins. */
  joins(member: KnownMember): void {
    this.#known = member
    this.#isJoining = true
  }

  get isJoining(): boolean {
    return this.#isJoining
  }

  /** Whether it goes on with its partitions while it joins again. */
  get goesOn(): boolean {
    const { memberId = null } = this.#known ?? {}
    return this.#isCooperative && memberId !== null && memberId === this.#memberId
  }

  /** Sent with a join. */
  claim(owned: readonly number[]): Omit<Claim, 'memberId'> {
    this.#hasClaimedToKeep = this.goesOn
    return { owned, generation: this.#generation, isKept: this.goesOn }
  }

  joined({ memberId, groupProtocol }: { memberId: string; groupProtocol: string }): Joined {
    const isContinued = this.#hasClaimedToKeep && memberId === this.#memberId
    this.#isJoining = false
    this.#memberId = memberId
    this.#generation = this.#known?.generationId ?? -1
    this.#isCooperative = groupProtocol === cooperativeProtocol
    return { isContinued, mayDrain: isContinued && this.#isCooperative }
  }

  /** The consumer has failed. */
  lost(): void {
    this.#memberId = null
    this.#isJoining = false
  }
}
