import { halvesOf } from '@surehook/service-kit/halves'
import type { Consumer, TopicPartitionOffsetAndMetadata } from 'kafkajs'
import { isMembershipOver } from '../kafkajs-patches/membership/membership-over.ts'
import type { AssignedPartition } from './assigned-partition.ts'
import { type CommitFailures, reasonOf } from './commit-failures.ts'

export type CommitLoopOptions = {
  consumer: Pick<Consumer, 'commitOffsets'>
  /** Minimum milliseconds between two commits. After a pause a commit is sent at once. */
  intervalMs: number
  /** Number of finished messages of one partition that are committed at once. */
  enough?: number | undefined
  assignments: () => Iterable<AssignedPartition>
  /** Called after each successful commit. */
  onCommitted?: (() => void) | undefined
  failures: Pick<CommitFailures, 'failed'>
}

const usuallyEnough = 32
/**
 * Bytes of metadata per millisecond that commits may send. In a backlog each partition has up to
 * 4,000 bytes, and the brokers that keep `__consumer_offsets` get those of all consumers.
 */
const metadataBytesPerMs = 1_000
/** Milliseconds. Longer would let more finish than the consumers start without a commit. */
const longestIntervalMs = 100
/**
 * Milliseconds: a crash repeats the work in flight, and work that finished no longer ago than this.
 */
const longestUncommittedMs = 1_000

/**
 * Commits the positions of dirty assigned partitions. Each request covers all of them, one request
 * at a time.
 */
export class CommitLoop {
  readonly #options: CommitLoopOptions
  readonly #enough: number
  #ranAt = Number.NEGATIVE_INFINITY
  /** Milliseconds that the metadata of the last commit is worth. */
  #widenedMs = 0
  #timer: NodeJS.Timeout | null = null
  #running: Promise<void> | null = null
  #stopped = false
  /** Counts the memberships, to identify the one of a commit. */
  #membership = 0
  /** The group has ended the membership: nothing can be committed until the next one. */
  #over = false
  /** Time at which the first message that no commit covers was finished. */
  #uncoveredSince: number | null = null
  /** The same for messages that the running commit covers. */
  #coveredSince: number | null = null

  constructor(options: CommitLoopOptions) {
    this.#options = options
    this.#enough = options.enough ?? usuallyEnough
  }

  /** True while finished messages are uncommitted that can be committed. */
  get pending(): boolean {
    return !this.#over && (this.#running !== null || this.#timer !== null)
  }

  /**
   * True while finished messages wait too long for their commit: starting more would add to the
   * repetitions.
   */
  get isBehind(): boolean {
    const since = this.#coveredSince ?? this.#uncoveredSince
    return since !== null && performance.now() - since > longestUncommittedMs
  }

  /** Notes that a new membership began. */
  joined(): void {
    this.#membership++
    this.#over = false
  }

  /**
   * Notes that the group accepted a heartbeat: the broker that refused a commit of this membership
   * is no longer its coordinator.
   */
  confirmed(): void {
    if (!this.#over || this.#stopped) return
    this.#over = false
    if (this.#running === null) this.#timer ??= this.#runLater()
  }

  /** Called when the kept partitions are known, or when one was released. */
  assignmentsChanged(): void {
    const dirty = [...this.#options.assignments()].filter((assignment) => assignment.dirty)
    if (dirty.length === 0) this.#uncoveredSince = null
    for (const assignment of dirty) this.wake(assignment)
  }

  /** @param assignment in which a message was finished */
  wake(assignment: Pick<AssignedPartition, 'uncommitted'>): void {
    this.#uncoveredSince ??= performance.now()
    if (this.#running !== null || this.#stopped || this.#over) return
    const isEnough = assignment.uncommitted >= this.#enough
    if (isEnough && this.#waitMs(0) === 0) this.#run()
    else this.#timer ??= this.#runLater()
  }

  #runLater(): NodeJS.Timeout {
    return setTimeout(() => this.#run(), this.#waitMs(this.#options.intervalMs))
  }

  #waitMs(intervalMs: number): number {
    const interval = Math.max(intervalMs, this.#widenedMs)
    return Math.max(0, this.#ranAt + interval - performance.now())
  }

  #run(): void {
    this.#clearTimer()
    this.#ranAt = performance.now()
    this.#running = this.#commit().finally(() => {
      this.#running = null
      for (const assignment of this.#options.assignments())
        if (assignment.dirty) this.wake(assignment)
    })
  }

  /** Commits the rest, and nothing after that. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#clearTimer()
    await this.#running
    await this.#commit()
  }

  #clearTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
  }

  async #commit(): Promise<void> {
    const dirty = [...this.#options.assignments()].filter((assignment) => assignment.dirty)
    if (dirty.length === 0) {
      // The finished messages belong to partitions that are no longer owned.
      this.#uncoveredSince = null
      return
    }
    this.#coveredSince = this.#uncoveredSince
    this.#uncoveredSince = null
    const covered = dirty.map((assignment) => assignment.uncommitted)
    const membership = this.#membership
    try {
      const positions = dirty.map(take)
      const bytes = positions.reduce((sum, { metadata }) => sum + (metadata?.length ?? 0), 0)
      this.#widenedMs = Math.min(bytes / metadataBytesPerMs, longestIntervalMs)
      await this.#send(positions)
      for (const [index, assignment] of dirty.entries())
        assignment.uncommitted -= covered[index] ?? 0
      this.#coveredSince = null
      this.#options.onCommitted?.()
    } catch (err) {
      this.#uncoveredSince = this.#coveredSince
      this.#coveredSince = null
      // The next commit includes a failed one. Messages that it covered may be repeated.
      for (const assignment of dirty) assignment.dirty = true
      this.#over ||= membership === this.#membership && isMembershipOver(err)
      this.#options.failures.failed(err, this.isBehind)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }

  /**
   * Sends positions. If metadata is refused, it sends them in halves, so that the others keep
   * theirs.
   */
  async #send(positions: TopicPartitionOffsetAndMetadata[]): Promise<void> {
    const { consumer, failures } = this.#options
    try {
      await consumer.commitOffsets(positions)
    } catch (err) {
      if (reasonOf(err) !== 'metadata_too_large') throw err
      failures.failed(err, this.isBehind)
      if (positions.length > 1) {
        for (const half of halvesOf(positions)) await this.#send(half)
        return
      }
      // Without its metadata a crash repeats the messages finished above the position. Without a
      // commit it would repeat all of them.
      await consumer.commitOffsets(positions.map((position) => ({ ...position, metadata: '' })))
    }
  }
}

/** Takes the assigned partition's position for a commit. */
function take(assignment: AssignedPartition): TopicPartitionOffsetAndMetadata {
  assignment.dirty = false
  const { offset, metadata } = assignment.position()
  const { topic, partition } = assignment
  return { topic, partition, offset: String(offset), metadata }
}
