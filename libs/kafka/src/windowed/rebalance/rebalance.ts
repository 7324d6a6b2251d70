import type { ConsumerGroupJoinEvent, PartitionAssigner } from 'kafkajs'
import { coPartitionAssigners } from '../../consumer/co-partition-assigner.ts'
import { GroupMembership } from '../../consumer/group-membership.ts'
import type { AssignedPartitions } from '../assigned-partitions.ts'
import type { CommitLoop } from '../commit-loop.ts'
import type { WindowedConsumerOptions } from '../windowed-consumer-options.ts'
import { PartitionRelease } from './partition-release.ts'
import { RebalanceDrain } from './rebalance-drain.ts'

export type RebalanceDeps = {
  options: Pick<WindowedConsumerOptions, 'drainMs' | 'inFlight' | 'onDrain' | 'olderAssignors'>
  assignments: AssignedPartitions
  commits: CommitLoop
  isStopping: () => boolean
  /** The group has shown that it still knows the member. */
  confirmed: () => void
}

/**
 * How partitions come and go. In a group whose members all do so, a member works on while it joins again,
 * and only what moves is drained, by its owner, before anybody else is given it. Otherwise, and after
 * a break of the membership, everything is drained before the join.
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
      isDrained: () => options.inFlight() === 0 && !commits.pending,
      onChange: (isDraining) => this.#drainAll(isDraining),
    })
    this.#release = new PartitionRelease({
      withinMs: options.drainMs,
      isDrained: (partition) =>
        options.inFlight(partition) === 0 &&
        !(commits.pending && assignments.isUncommitted(partition)),
      isJoining: () => this.#membership.isJoining,
      onBegin: (partition) => options.onDrain?.(partition, true),
      letGo: (partition) => {
        assignments.letGo(partition)
        commits.assignmentsChanged()
      },
    })
  }

  /** In the order of preference. */
  get assigners(): PartitionAssigner[] {
    return coPartitionAssigners({
      claim: () => this.#claim(),
      mayJoin: () => this.#mayJoin(),
      working: {
        joins: (member) => this.#membership.joins(member),
        goesOn: () => this.#membership.goesOn,
        wantsToJoin: () => this.#release.hasLetGo,
        confirmed: this.#deps.confirmed,
      },
      older: this.#deps.options.olderAssignors,
    })
  }

  /** The group is joined again by a member that does not go on meanwhile. */
  begin(): void {
    if (!this.#membership.goesOn) this.#drain.begin()
  }

  /** The group takes a heartbeat of the membership that there was. */
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
    // Nobody was given what it claimed to keep.
    if (hasLost && join.isContinued) this.#release.lost()
  }

  /** The membership is over, and nobody has said so. */
  lost(): void {
    this.#membership.lost()
    this.#release.stop()
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
    // Who stops starts nothing any more, whatever becomes of the group.
    if (!isDraining && isStopping()) return
    const leaving = isDraining ? [] : assignments.leaving()
    for (const partition of assignments.partitions()) {
      if (!leaving.includes(partition)) options.onDrain?.(partition, isDraining)
    }
  }
}
