import { halvesOf } from '@surehook/service-kit/halves'
import type { Consumer, TopicPartitionOffsetAndMetadata } from 'kafkajs'
import { isMembershipOver } from '../kafkajs-patches/membership/membership-over.ts'
import type { AssignedPartition } from './assigned-partition.ts'
import { type CommitFailures, reasonOf } from './commit-failures.ts'

export type CommitLoopOptions = {
  consumer: Pick<Consumer, 'commitOffsets'>
  /** Between two commits: what is finished after a pause is committed at once. */
  intervalMs: number
  /** So many finished messages of one partition do not wait. */
  enough?: number | undefined
  assignments: () => Iterable<AssignedPartition>
  /** After each commit that succeeded. */
  onCommitted?: (() => void) | undefined
  failures: Pick<CommitFailures, 'failed'>
}

const usuallyEnough = 32
/** What a crash repeats besides the work in flight was finished no longer ago than this. */
const longestUncommittedMs = 1_000

/** Commits the positions of dirty assigned partitions: one request at a time, everything dirty in each. */
export class CommitLoop {
  readonly #options: CommitLoopOptions
  readonly #enough: number
  #ranAt = Number.NEGATIVE_INFINITY
  #timer: NodeJS.Timeout | null = null
  #running: Promise<void> | null = null
  #stopped = false
  /** Counts the memberships, to know of which one a commit was. */
  #membership = 0
  /** The group has ended the membership: until the next one nothing can be committed. */
  #over = false
  /** When the first of what no commit covers yet was finished. */
  #uncoveredSince: number | null = null
  /** The same of what the commit under way covers. */
  #coveredSince: number | null = null

  constructor(options: CommitLoopOptions) {
    this.#options = options
    this.#enough = options.enough ?? usuallyEnough
  }

  /** True while something finished is not committed that can be. */
  get pending(): boolean {
    return !this.#over && (this.#running !== null || this.#timer !== null)
  }

  /** True while something finished waits too long for its commit: whoever starts more has more to repeat. */
  get isBehind(): boolean {
    const since = this.#coveredSince ?? this.#uncoveredSince
    return since !== null && performance.now() - since > longestUncommittedMs
  }

  /** There is a new membership. */
  joined(): void {
    this.#membership++
    this.#over = false
  }

  /** The group has taken a heartbeat: whoever refused a commit of this membership does not answer for the group any more. */
  confirmed(): void {
    if (!this.#over || this.#stopped) return
    this.#over = false
    if (this.#running === null) this.#timer ??= this.#runLater()
  }

  /** It is known which assigned partitions are kept, or one was let go. */
  assignmentsChanged(): void {
    const dirty = [...this.#options.assignments()].filter((assignment) => assignment.dirty)
    if (dirty.length === 0) this.#uncoveredSince = null
    for (const assignment of dirty) this.wake(assignment)
  }

  /** @param assignment in which something was finished */
  wake(assignment: Pick<AssignedPartition, 'uncommitted'>): void {
    this.#uncoveredSince ??= performance.now()
    if (this.#running !== null || this.#stopped || this.#over) return
    if (assignment.uncommitted >= this.#enough) this.#run()
    else this.#timer ??= this.#runLater()
  }

  #runLater(): NodeJS.Timeout {
    const waitMs = this.#ranAt + this.#options.intervalMs - performance.now()
    return setTimeout(() => this.#run(), Math.max(0, waitMs))
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

  /** Commits what is left and commits nothing afterwards. */
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
      // What was finished is of partitions that are somebody else's now.
      this.#uncoveredSince = null
      return
    }
    this.#coveredSince = this.#uncoveredSince
    this.#uncoveredSince = null
    const covered = dirty.map((assignment) => assignment.uncommitted)
    const membership = this.#membership
    try {
      await this.#send(dirty.map(take))
      for (const [index, assignment] of dirty.entries())
        assignment.uncommitted -= covered[index] ?? 0
      this.#coveredSince = null
      this.#options.onCommitted?.()
    } catch (err) {
      this.#uncoveredSince = this.#coveredSince
      this.#coveredSince = null
      // A commit that failed is made again with the next one; what it covered may be repeated.
      for (const assignment of dirty) assignment.dirty = true
      this.#over ||= membership === this.#membership && isMembershipOver(err)
      this.#options.failures.failed(err, this.isBehind)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }

  /** Where metadata is refused, by halves: the others keep theirs. */
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
      // After a crash what is finished above the position is repeated; without a commit all would be.
      await consumer.commitOffsets(positions.map((position) => ({ ...position, metadata: '' })))
    }
  }
}

/** The assigned partition's position, which is committed now. */
function take(assignment: AssignedPartition): TopicPartitionOffsetAndMetadata {
  assignment.dirty = false
  const { offset, metadata } = assignment.position()
  const { topic, partition } = assignment
  return { topic, partition, offset: String(offset), metadata }
}
