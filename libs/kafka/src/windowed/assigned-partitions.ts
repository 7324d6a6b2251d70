import { setTimeout as wait } from 'node:timers/promises'
import type { KafkaMessage } from '../client/surface.ts'
import type { JoinOutcome } from '../consumer/group-membership.ts'
import type { PartitionReader } from '../consumer/partition-reader.ts'
import { fetchGroupCommits } from '../offsets/group-commits.ts'
import type { LogEnds } from '../offsets/log-ends.ts'
import type { LookBack } from '../offsets/look-back.ts'
import { TruncatedLogs } from '../offsets/truncated-logs.ts'
import { partitionKey, type TopicPartition } from '../topics/partition-key.ts'
import type { AssignedPartition } from './assigned-partition.ts'
import { FlowControl } from './flow-control.ts'
import {
  type LoadedPartition,
  type LoadPartitionsOptions,
  loadMissing,
  lookBackOver,
  retryMs,
} from './load-partitions.ts'
import { overtakenPartitions } from './overtaken-partitions.ts'
import type { AssignedPartitionsOptions } from './windowed-consumer-options.ts'

/** Loads the partitions that this member owns, and pauses and resumes them by what they hold. */
export class AssignedPartitions {
  readonly #options: AssignedPartitionsOptions
  readonly #reader: PartitionReader
  readonly #loadFrom: LoadPartitionsOptions
  readonly #steering: FlowControl
  #assignments = new Map<string, AssignedPartition>()
  /** Partitions that are loaded. */
  readonly #partitions = new Set<number>()
  /** Assigned partitions, loaded or not. */
  #assigned: ReadonlySet<number> = new Set()
  /** Partitions that are no longer assigned, but are drained here first. */
  readonly #leaving = new Set<number>()
  readonly #lookBacks = new Map<number, LookBack<AssignedPartition>>()
  #comparing: Promise<void> = Promise.resolve()
  #loading: Promise<void> = Promise.resolve()
  #epoch = 0
  #certain = true

  constructor(options: AssignedPartitionsOptions, reader: PartitionReader, ends: LogEnds) {
    this.#options = options
    this.#reader = reader
    this.#steering = new FlowControl(options.window, reader)
    const admin = options.kafka.admin({ retry: { retries: 5 } })
    const truncated = new TruncatedLogs(ends, options.log)
    this.#loadFrom = { ...options, admin, ends, truncated }
  }

  connect(): Promise<void> {
    return this.#loadFrom.admin.connect()
  }

  async disconnect(): Promise<void> {
    this.#epoch++
    // A request after the disconnect would connect again.
    await this.#loading
    await Promise.all([
      this.#loadFrom.admin.disconnect(),
      this.#loadFrom.ends[Symbol.asyncDispose](),
    ])
  }

  all(): Iterable<AssignedPartition> {
    return this.#assignments.values()
  }

  /** False while it is unknown whether another member had the kept partitions in between. */
  get certain(): boolean {
    return this.#certain
  }

  /** Assigned partitions whose positions may be committed. */
  committable(): Iterable<AssignedPartition> {
    return this.#certain ? this.#assignments.values().filter(({ mayCommit }) => mayCommit) : []
  }

  partitions(): number[] {
    return [...this.#partitions]
  }

  /** Assigned partitions that are not loaded yet. */
  get unloaded(): number[] {
    return [...this.#assigned].filter((partition) => !this.#partitions.has(partition))
  }

  leaving(): number[] {
    return [...this.#leaving]
  }

  /** Partitions that a join claims. Those that must move to other members come last. */
  claimed(): number[] {
    const kept = [...this.#assigned].toSorted((a, b) => a - b)
    return [...kept, ...this.leaving().toSorted((a, b) => a - b)]
  }

  isUncommitted(partition: number): boolean {
    const of = [...this.#assignments.values()].filter((each) => each.partition === partition)
    return of.some(({ uncommitted }) => uncommitted > 0)
  }

  /** Handles a refused fetch. A partition whose log was truncated is loaded again. */
  async outOfRange(at: TopicPartition): Promise<void> {
    const assignment = this.#assignments.get(partitionKey(at))
    if (assignment === undefined || !(await this.#loadFrom.truncated.find(at, assignment.next)))
      return
    this.#revoke(at.partition, 'its log was truncated')
    const earlier = this.#loading
    this.#loading = this.#settle(this.#epoch, () => undefined).then(() => earlier)
  }

  /**
   * Resolves with a partition that may be read, or with undefined if it is not owned or not loaded.
   * Without one, the caller drops its batch, and loading seeks back to it. It does not wait for the
   * load, because a leader may be missing.
   */
  async ready(topic: string, partition: number): Promise<AssignedPartition | undefined> {
    if (!this.#certain) await this.#comparing
    if (!this.#certain || this.#leaving.has(partition)) return undefined
    return this.#assignments.get(partitionKey({ topic, partition }))
  }

  /**
   * Applies a new assignment. New partitions load their commits. After a break of the membership,
   * kept ones are compared with the group's commits. Lost partitions are drained first if that is
   * allowed, otherwise they are revoked at once.
   * @param onCertain called once the kept partitions are known, unless a newer assignment follows
   * @returns true if partitions were lost that need no drain: they were revoked, or never loaded
   */
  assign(
    byTopic: Record<string, number[]>,
    { isContinued, mayDrain }: JoinOutcome,
    onCertain: () => void,
  ): boolean {
    const wereUnloaded = this.unloaded
    this.#assigned = new Set(Object.values(byTopic).flat())
    const lost = this.partitions().filter((partition) => !this.#assigned.has(partition))
    const lostEarly = wereUnloaded.some((partition) => !this.#assigned.has(partition))
    this.#leaving.clear()
    for (const partition of lost) {
      if (mayDrain) this.#leaving.add(partition)
      else this.#revoke(partition, 'revoked')
    }
    for (const assignment of this.#assignments.values()) {
      if (this.#assigned.has(assignment.partition)) this.#readOn(assignment)
    }
    const epoch = ++this.#epoch
    this.#certain = this.#assignments.size === 0 || (isContinued && this.#certain)
    if (this.#certain) onCertain()
    this.#loading = this.#settle(epoch, onCertain)
    return lostEarly || (lost.length > 0 && !mayDrain)
  }

  /** Releases a drained partition: its next owner continues after the commit. */
  release(partition: number): void {
    this.#leaving.delete(partition)
    this.#revoke(partition, 'released')
  }

  pauseAll(): void {
    for (const assignment of this.#assignments.values()) this.#steering.pause(assignment)
  }

  revokeAll(reason: string): void {
    this.#assigned = new Set()
    for (const partition of this.partitions()) this.#revoke(partition, reason)
  }

  /** Called when one of its messages was finished or moved aside. */
  released(assignment: AssignedPartition): void {
    this.#steering.steer(assignment)
  }

  /**
   * True if a batch begins after the next offset of the assigned partition, which is then read
   * again. If the log has a gap there, the same batch arrives once more and is accepted.
   */
  isAhead(assignment: AssignedPartition, first: number): boolean {
    const { topic, partition } = assignment
    // While leaders change, a fetch from before a seek may arrive after it.
    const next = assignment.latestBegin(first)
    if (first <= next || assignment.aheadAt === first) return false
    assignment.aheadAt = first
    this.#options.log.warn({ topic, partition, next, first }, 'consumer.gap')
    this.#seek(assignment, next)
    return true
  }

  /** Notes that a batch was handed out. */
  wasRead(assignment: AssignedPartition, at: Parameters<FlowControl['wasRead']>[1]): void {
    assignment.aheadAt = -1
    this.#steering.wasRead(assignment, at)
  }

  /** Counts the bytes that were read again below the commit, which are limited. */
  lookedBack(assignment: AssignedPartition, messages: readonly KafkaMessage[]): void {
    const below = messages.filter(({ offset }) => Number(offset) < assignment.committed)
    if (below.length === 0) return
    const position = Number(below.at(-1)?.offset) + 1
    const bytes = below.reduce((sum, { value }) => sum + (value?.length ?? 0), 0)
    const read = { position, messages: below.length, bytes }
    const next = this.#lookBacks.get(assignment.partition)?.readOn(assignment, read) ?? position
    if (next > position) this.#seek(assignment, next)
  }

  /** Continues a kept partition after the group was joined again. */
  #readOn(assignment: AssignedPartition): void {
    assignment.backlog?.interrupt()
    // kafkajs would read kept assigned partitions from their commit again.
    this.#seek(assignment, assignment.next)
    // A new consumer does not know which partitions were paused.
    if (assignment.paused) this.#steering.pause(assignment)
    // The backlog may have room now, and at the end of a log no other event would trigger it.
    this.#steering.steer(assignment)
    this.#options.handler.sought?.(assignment)
  }

  #seek({ topic, partition }: AssignedPartition, offset: number): void {
    this.#reader.seek({ topic, partition, offset: String(offset) })
  }

  #revoke(partition: number, reason: string): void {
    this.#partitions.delete(partition)
    this.#leaving.delete(partition)
    this.#lookBacks.delete(partition)
    for (const [key, assignment] of this.#assignments) {
      if (assignment.partition !== partition) continue
      this.#assignments.delete(key)
      assignment.revoke(reason)
    }
    this.#options.handler.revoked?.(partition)
  }

  async #settle(epoch: number, onCertain: () => void): Promise<void> {
    if (!this.#certain) {
      this.#comparing = this.#compare(epoch)
      await this.#comparing
      if (epoch !== this.#epoch) return
      this.#certain = true
      onCertain()
    }
    await this.#load(epoch)
  }

  async #compare(epoch: number): Promise<void> {
    while (this.#assignments.size > 0 && epoch === this.#epoch) {
      try {
        const commitOf = await fetchGroupCommits(this.#loadFrom.admin, this.#options)
        if (epoch !== this.#epoch) return
        const overtaken = overtakenPartitions(this.all(), commitOf, this.#options)
        for (const partition of overtaken) this.#revoke(partition, 'another member had it')
        return
      } catch (err) {
        this.#options.log.warn({ err }, 'consumer.comparison.retry')
        await wait(retryMs)
      }
    }
  }

  #load(epoch: number): Promise<void> {
    // They would be fetched in vain until they are loaded.
    const partitions = this.unloaded
    if (partitions.length > 0)
      this.#reader.pause(this.#options.topics.map((topic) => ({ topic, partitions })))
    const loading = {
      missing: () => this.unloaded,
      open: (loaded: readonly LoadedPartition[]) => this.#open(loaded),
      isOver: () => epoch !== this.#epoch,
    }
    return loadMissing(loading, this.#loadFrom)
  }

  #open(loaded: readonly LoadedPartition[]): void {
    const { lookBack, handler, control } = this.#options
    for (const { assignment, logStart } of loaded) {
      this.#assignments.set(partitionKey(assignment), assignment)
      // The earlier position must not stay committed.
      if (this.#loadFrom.truncated.forget(assignment)) assignment.dirty = true
      // kafkajs remembers a pause from an earlier assignment.
      this.#reader.resume([{ topic: assignment.topic, partitions: [assignment.partition] }])
      const back = lookBack?.topics.includes(assignment.topic) ? lookBack.messages : 0
      // Nothing to look back at exists after the log's end. A fetch there reveals truncation.
      const isBehindEnd = assignment.committed > assignment.endAtStart
      const from = Math.max(logStart, assignment.committed - (isBehindEnd ? 0 : back))
      this.#seek(assignment, from)
    }
    for (const partition of new Set(loaded.map(({ assignment }) => assignment.partition))) {
      this.#partitions.add(partition)
      const mine = loaded.filter(({ assignment }) => assignment.partition === partition)
      this.#lookBacks.set(partition, lookBackOver(mine, lookBack))
      const byTopic = mine.map(({ assignment }) => [assignment.topic, assignment] as const)
      handler.assigned?.(partition, new Map(byTopic), control)
    }
  }
}
