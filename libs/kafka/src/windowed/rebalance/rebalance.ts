import type { ConsumerGroupJoinEvent, PartitionAssigner } from 'kafkajs'
import { coPartitionAssigners } from '../../consumer/co-partition-assigner.ts'
import { GroupMembership } from '../../consumer/group-membership.ts'
import type { LaneSet } from '../assigned-partitions.ts'
import type { CommitLoop } from '../commit-loop.ts'
import type { WindowedConsumerOptions } from '../windowed-consumer.ts'
import { LettingGo } from './partition-release.ts'
import { HandOver } from './rebalance-drain.ts'

export type RebalanceDeps = {
  options: Pick<
    WindowedConsumerOptions,
    'handOverMs' | 'inFlight' | 'onHandOver' | 'olderAssignors'
  >
  lanes: LaneSet
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
  readonly #handOver: HandOver
  readonly #lettingGo: LettingGo

  constructor(deps: RebalanceDeps) {
    const { options, lanes, commits } = deps
    this.#deps = deps
    this.#handOver = new HandOver({
      withinMs: options.handOverMs,
      isDrained: () => options.inFlight() === 0 && !commits.pending,
      onChange: (handingOver) => this.#tellAll(handingOver),
    })
    this.#lettingGo = new LettingGo({
      withinMs: options.handOverMs,
      isDrained: (partition) =>
        options.inFlight(partition) === 0 && !(commits.pending && lanes.isUncommitted(partition)),
      isJoining: () => this.#membership.isJoining,
      onBegin: (partition) => options.onHandOver?.(partition, true),
      letGo: (partition) => {
        lanes.letGo(partition)
        commits.lanesChanged()
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
        wantsToJoin: () => this.#lettingGo.hasLetGo,
        confirmed: this.#deps.confirmed,
      },
      older: this.#deps.options.olderAssignors,
    })
  }

  /** The group is joined again by a member that does not go on meanwhile. */
  begin(): void {
    if (!this.#membership.goesOn) this.#handOver.begin()
  }

  /** The group takes a heartbeat of the membership that there was. */
  confirmed(): void {
    if (this.#deps.lanes.certain) this.#handOver.confirmed()
  }

  joined(payload: ConsumerGroupJoinEvent['payload']): void {
    const { lanes, commits } = this.#deps
    const join = this.#membership.joined(payload)
    const hasLost = lanes.assign(payload.memberAssignment, join, () => {
      this.#handOver.joined()
      commits.lanesChanged()
    })
    this.#lettingGo.want(lanes.leaving())
    // Nobody was given what it has told to keep.
    if (hasLost && join.isContinued) this.#lettingGo.lost()
  }

  /** The membership is over, and nobody has said so. */
  lost(): void {
    this.#membership.lost()
    this.#lettingGo.stop()
  }

  #mayJoin(): boolean {
    if (this.#membership.goesOn || this.#deps.lanes.partitions().length === 0) return true
    return this.#handOver.mayJoin()
  }

  #claim() {
    this.#lettingGo.told()
    return this.#membership.claim(this.#deps.lanes.claimed())
  }

  #tellAll(handingOver: boolean): void {
    const { options, lanes, isStopping } = this.#deps
    // Who stops starts nothing any more, whatever becomes of the group.
    if (!handingOver && isStopping()) return
    const leaving = handingOver ? [] : lanes.leaving()
    for (const partition of lanes.partitions()) {
      if (!leaving.includes(partition)) options.onHandOver?.(partition, handingOver)
    }
  }
}
