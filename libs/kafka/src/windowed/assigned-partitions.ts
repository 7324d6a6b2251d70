import { setTimeout as wait } from 'node:timers/promises'
import type { Admin, KafkaMessage } from 'kafkajs'
import type { Joined } from '../consumer/group-membership.ts'
import type { LaneReader } from '../consumer/partition-reader.ts'
import { fetchGroupCommits, type GroupCommit } from '../offsets/group-commits.ts'
import { LookBack } from '../offsets/look-back.ts'
import type { PartitionLane } from './assigned-partition.ts'
import { LaneSteering } from './flow-control.ts'
import { type LoadedLane, loadLanes } from './load-partitions.ts'
import type { WindowedConsumerOptions } from './windowed-consumer.ts'

/** The lanes this member owns: loaded on assignment, paused and resumed by what they hold. */
export class LaneSet {
  readonly #options: WindowedConsumerOptions
  readonly #reader: LaneReader
  readonly #admin: Admin
  readonly #steering: LaneSteering
  #lanes = new Map<string, PartitionLane>()
  /** Those whose lanes are loaded. */
  readonly #partitions = new Set<number>()
  /** Assigned, loaded or not. */
  #assigned: ReadonlySet<number> = new Set()
  /** Not assigned any more, but drained here before anybody else is given them. */
  readonly #leaving = new Set<number>()
  readonly #lookBacks = new Map<number, LookBack<PartitionLane>>()
  #loading: Promise<void> = Promise.resolve()
  #epoch = 0
  #certain = true

  constructor(options: WindowedConsumerOptions, reader: LaneReader) {
    this.#options = options
    this.#reader = reader
    this.#steering = new LaneSteering(options.window, reader)
    this.#admin = options.kafka.admin({ retry: { retries: 5 } })
  }

  connect(): Promise<void> {
    return this.#admin.connect()
  }

  async disconnect(): Promise<void> {
    this.#epoch++
    // A request after the disconnect would connect anew.
    await this.#loading
    await this.#admin.disconnect()
  }

  all(): Iterable<PartitionLane> {
    return this.#lanes.values()
  }

  /** False while it is not known whether another member had the kept partitions in between. */
  get certain(): boolean {
    return this.#certain
  }

  /** What may be committed. */
  committable(): Iterable<PartitionLane> {
    return this.#certain ? this.#lanes.values() : []
  }

  partitions(): number[] {
    return [...this.#partitions]
  }

  leaving(): number[] {
    return [...this.#leaving]
  }

  /** What the group is told to be here; those that it wants for others come last. */
  claimed(): number[] {
    const kept = [...this.#assigned].toSorted((a, b) => a - b)
    return [...kept, ...this.leaving().toSorted((a, b) => a - b)]
  }

  isUncommitted(partition: number): boolean {
    const lanes = [...this.#lanes.values()]
    return lanes.some((lane) => lane.partition === partition && lane.uncommitted > 0)
  }

  /** The lane of an owned topic-partition once it is loaded; undefined when it is not owned. */
  async ready(topic: string, partition: number): Promise<PartitionLane | undefined> {
    if (this.#leaving.has(partition)) return undefined
    const lane = this.#lanes.get(laneKey(topic, partition))
    if (lane !== undefined && this.#certain) return lane
    await this.#loading
    return this.#lanes.get(laneKey(topic, partition))
  }

  /**
   * Takes over a new assignment: new lanes load their commits; after a break of the membership kept ones
   * are compared with theirs. Lost lanes leave once they are drained where that may be, else at once.
   * @param onCertain called once the lanes are known that are really kept, unless it is superseded
   * @returns whether partitions were lost at once
   */
  assign(
    assignment: Record<string, number[]>,
    { isContinued, mayDrain }: Joined,
    onCertain: () => void,
  ): boolean {
    this.#assigned = new Set(Object.values(assignment).flat())
    const lost = this.partitions().filter((partition) => !this.#assigned.has(partition))
    this.#leaving.clear()
    for (const partition of lost) {
      if (mayDrain) this.#leaving.add(partition)
      else this.#revoke(partition, 'revoked')
    }
    for (const lane of this.#lanes.values()) {
      if (this.#assigned.has(lane.partition)) this.#readOn(lane)
    }
    const epoch = ++this.#epoch
    this.#certain = this.#lanes.size === 0 || (isContinued && this.#certain)
    if (this.#certain) onCertain()
    this.#loading = this.#settle([...this.#assigned], epoch, onCertain)
    return lost.length > 0 && !mayDrain
  }

  /** It was drained: whoever is given it next reads on behind what is committed. */
  letGo(partition: number): void {
    this.#leaving.delete(partition)
    this.#revoke(partition, 'let go')
  }

  pauseAll(): void {
    for (const lane of this.#lanes.values()) this.#steering.pause(lane)
  }

  revokeAll(reason: string): void {
    this.#assigned = new Set()
    for (const partition of this.partitions()) this.#revoke(partition, reason)
  }

  /** Something of it was finished or moved aside. */
  released(lane: PartitionLane): void {
    this.#steering.steer(lane)
  }

  /**
   * Whether a batch begins behind what comes next in the lane, which is then read again. A log that
   * has a gap there shows the same batch once more.
   */
  isAhead(lane: PartitionLane, first: number): boolean {
    const { topic, partition } = lane
    // While partitions change their leaders a fetch of before a seek may come after it.
    const next = lane.latestBegin(first)
    if (first <= next || lane.aheadAt === first) return false
    lane.aheadAt = first
    this.#options.log.warn({ topic, partition, next, first }, 'consumer.gap')
    this.#seek(lane, next)
    return true
  }

  /** A batch of it was handed out. */
  wasRead(lane: PartitionLane, at: { next: number; position: number }): void {
    lane.aheadAt = -1
    this.#steering.wasRead(lane, at)
  }

  /** These were handed out; of finished ones only so many bytes are read again. */
  lookedBack(lane: PartitionLane, messages: readonly KafkaMessage[]): void {
    const below = messages.filter(({ offset }) => Number(offset) < lane.committed)
    if (below.length === 0) return
    const position = Number(below.at(-1)?.offset) + 1
    const bytes = below.reduce((sum, { value }) => sum + (value?.length ?? 0), 0)
    const read = { position, messages: below.length, bytes }
    const next = this.#lookBacks.get(lane.partition)?.readOn(lane, read) ?? position
    if (next > position) this.#seek(lane, next)
  }

  /** The group was joined again. */
  #readOn(lane: PartitionLane): void {
    lane.overtaking?.interrupt()
    // kafkajs would read kept lanes from their commit again.
    this.#seek(lane, lane.next)
    // A new consumer knows of no pause.
    if (lane.paused) this.#steering.pause(lane)
    // What waits may have room by now: at the end of a log nothing else would tell.
    this.#steering.steer(lane)
    this.#options.onSought?.(lane)
  }

  #seek({ topic, partition }: PartitionLane, offset: number): void {
    this.#reader.seek({ topic, partition, offset: String(offset) })
  }

  #revoke(partition: number, reason: string): void {
    this.#partitions.delete(partition)
    this.#leaving.delete(partition)
    this.#lookBacks.delete(partition)
    for (const [key, lane] of this.#lanes) {
      if (lane.partition !== partition) continue
      this.#lanes.delete(key)
      lane.revoke(reason)
    }
    this.#options.onRevoked?.(partition)
  }

  async #settle(assigned: readonly number[], epoch: number, onCertain: () => void): Promise<void> {
    if (!this.#certain) await this.#compare(epoch)
    if (epoch !== this.#epoch) return
    if (!this.#certain) {
      this.#certain = true
      onCertain()
    }
    // Also those of an assignment whose loading this one interrupts.
    await this.#load(
      assigned.filter((partition) => !this.#partitions.has(partition)),
      epoch,
    )
  }

  /**
   * A member that was away for longer than its session comes back as a new one, and one that missed a
   * generation as the same: somebody else may have had its partitions. Whoever had them committed
   * what it finished before it let go, so it shows by the commit: a partition is kept only when
   * this member has finished all of it itself. What it has finished beyond may not be committed
   * yet; being away for a while, with nobody else to take over, repeats nothing.
   */
  async #compare(epoch: number): Promise<void> {
    while (this.#lanes.size > 0 && epoch === this.#epoch) {
      try {
        const commitOf = await fetchGroupCommits(this.#admin, this.#options)
        if (epoch === this.#epoch) this.#dropOvertaken(commitOf)
        return
      } catch (err) {
        this.#options.log.warn({ err }, 'consumer.comparison.retry')
        await wait(200)
      }
    }
  }

  #dropOvertaken(commitOf: (topic: string, partition: number) => GroupCommit): void {
    const overtaken = new Set<number>()
    for (const lane of this.#lanes.values()) {
      const { topic, partition, low } = lane
      const commit = commitOf(topic, partition)
      if (lane.covers(commit)) continue
      overtaken.add(partition)
      const { offset: committed } = commit
      this.#options.log.warn({ topic, partition, low, committed }, 'consumer.overtaken')
    }
    for (const partition of overtaken) this.#revoke(partition, 'another member had it')
  }

  /** Loads commits and log ends of gained partitions; tried until it works or a newer assignment came. */
  async #load(gained: readonly number[], epoch: number): Promise<void> {
    while (gained.length > 0 && epoch === this.#epoch) {
      try {
        const lanes = await loadLanes(gained, { ...this.#options, admin: this.#admin })
        if (epoch !== this.#epoch) return
        this.#open(gained, lanes)
        return
      } catch (err) {
        this.#options.log.warn({ err, gained }, 'consumer.assignment.retry')
        await wait(200)
      }
    }
  }

  #open(gained: readonly number[], loaded: readonly LoadedLane[]): void {
    const { lookBack, onAssigned } = this.#options
    for (const { lane, logStart } of loaded) {
      this.#lanes.set(laneKey(lane.topic, lane.partition), lane)
      // kafkajs remembers that it was paused when it was here before.
      this.#reader.resume([{ topic: lane.topic, partitions: [lane.partition] }])
      const back = lookBack?.topics.includes(lane.topic) ? lookBack.messages : 0
      const from = Math.max(logStart, lane.committed - back)
      this.#seek(lane, from)
    }
    for (const partition of gained) {
      this.#partitions.add(partition)
      const mine = loaded.filter(({ lane }) => lane.partition === partition)
      const lookedAt = mine.filter(({ lane }) => lookBack?.topics.includes(lane.topic))
      const behind = lookedAt.filter(({ lane, logStart }) => logStart < lane.committed)
      const budget = new LookBack(
        lookBack?.bytes ?? 0,
        behind.map(({ lane }) => lane),
      )
      this.#lookBacks.set(partition, budget)
      onAssigned?.(partition, new Map(mine.map(({ lane }) => [lane.topic, lane])))
    }
  }
}

const laneKey = (topic: string, partition: number) => `${topic}/${partition}`
