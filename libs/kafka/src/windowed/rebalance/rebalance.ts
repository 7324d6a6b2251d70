import type { ConsumerGroupJoinEvent, PartitionAssigner } from 'kafkajs'
import { coPartitionAssigners } from '../../consumer/co-partition-assigner.ts'
import { GroupMembership } from '../../consumer/group-membership.ts'
import type { MemberIdentity } from '../../kafkajs-patches/membership/join-while-working.ts'
import type { AssignedPartitions } from '../assigned-partitions.ts'
import type { CommitLoop } from '../commit-loop.ts'
import type { WindowedConsumerOptions } from '../windowed-consumer-options.ts'
import { PartitionRelease } from './partition-release.ts'
import { RebalanceDrain } from './rebalance-drain.ts'

export type RebalanceDeps = {
  options: Pick<WindowedConsumerOptions, 'drainMs' | 'handler'>
  assignments: AssignedPartitions
  commits: CommitLoop
  isStopping: () => boolean
  /** Called when the group has confirmed the membership. */
  confirmed: () => void
}

/**
 * Coordinates how partitions are gained and lost. If all members of a group support it, a member
 * keeps working while it joins again. Only moving partitions are drained, by their owner, before
 * another member gets them. Otherwise, and after a break of the membership, everything is drained
 * before the join.
 */
export class Rebalance {
  readonly #deps: RebalanceDeps
  readonly #membership = new GroupMembership()
  readonly #drain: RebalanceDrain
  readonly #release: PartitionRelease

  constructor(deps: RebalanceDeps) {
    const { options, assignments, commits } = deps
    this.#deps = deps
    this.#drain = new RebalanceDrain({
      withinMs: options.drainMs,
      isDrained: () => options.handler.inFlight === 0 && !commits.pending,
      onChange: (isDraining) => this.#drainAll(isDraining),
    })
    this.#release = new PartitionRelease({
      withinMs: options.drainMs,
      isDrained: (partition) =>
        options.handler.inFlightOf(partition) === 0 &&
        !(commits.pending && assignments.isUncommitted(partition)),
      isJoining: () => this.#membership.isJoining,
      onBegin: (partition) => options.handler.drain?.(partition, true),
      release: (partition) => {
        assignments.release(partition)
        commits.assignmentsChanged()
      },
    })
  }

  /** Assigners in order of preference. */
  get assigners(): PartitionAssigner[] {
    return coPartitionAssigners({
      claim: () => this.#claim(),
      mayJoin: () => this.#mayJoin(),
      working: {
        joins: (member) => this.#membership.joins(member),
        failed: (member) => this.#failed(member),
        goesOn: () => this.#membership.goesOn,
        wantsToJoin: () => this.#release.wantsToJoin,
        confirmed: this.#deps.confirmed,
      },
    })
  }

  /** Called when a member joins again that does not keep working meanwhile. */
  begin(): void {
    if (!this.#membership.goesOn) this.#drain.begin()
  }

  /** Called when the group accepts a heartbeat of the existing membership. */
  confirmed(): void {
    if (this.#deps.assignments.certain) this.#drain.confirmed()
  }

  joined(payload: ConsumerGroupJoinEvent['payload']): void {
    const { assignments, commits } = this.#deps
    const join = this.#membership.joined(payload)
    const hasLost = assignments.assign(payload.memberAssignment, join, () => {
      this.#drain.joined()
      commits.assignmentsChanged()
    })
    this.#release.want(assignments.leaving())
    // The partitions that it claimed to keep were assigned to nobody.
    if (hasLost && join.isContinued) this.#release.mustJoin()
  }

  /** Called when the membership has ended without a notice. */
  lost(): void {
    this.#membership.lost()
    this.#release.stop()
  }

  /** The group may not know the claim of a failed join, so the member joins once more. */
  #failed(member: MemberIdentity): void {
    if (this.#membership.failed(member)) this.#release.mustJoin()
  }

  #mayJoin(): boolean {
    if (this.#membership.goesOn || this.#deps.assignments.partitions().length === 0) return true
    return this.#drain.mayJoin()
  }

  #claim() {
    this.#release.claimed()
    return this.#membership.claim(this.#deps.assignments.claimed())
  }

  #drainAll(isDraining: boolean): void {
    const { options, assignments, isStopping } = this.#deps
    // A stopping member starts nothing, regardless of the group.
    if (!isDraining && isStopping()) return
    const leaving = isDraining ? [] : assignments.leaving()
    for (const partition of assignments.partitions()) {
      if (!leaving.includes(partition)) options.handler.drain?.(partition, isDraining)
    }
  }
}
