import type { KafkaMessage } from '../client/surface.ts'
import type { AssignedPartition } from './assigned-partition.ts'
import type { WindowedMessage } from './windowed-message.ts'

/** What a handler may ask of its windowed consumer. */
export type PartitionControl = {
  /** Reads the partition again from `offset`. Open messages arrive with `reread: true`. */
  seek(topic: string, partition: number, offset: number): void
  /**
   * False when new work may be a repetition or may be repeated: another member may have the
   * partitions, or commits fail.
   */
  readonly mayStart: boolean
  /**
   * Number of partitions of the first topic. It may grow at any time. 0 while it is unknown. A new
   * owner of a partition knows every number that an earlier owner knew.
   */
  readonly partitions: number
  /** Commits the note of a partition although nothing was finished. */
  commitSoon(assignment: AssignedPartition): void
}

/** Works on the messages of the partitions that a windowed consumer owns. */
export type PartitionHandler = {
  /** Must return at once. The work that it starts must finally call `message.finish`. */
  handle(message: WindowedMessage): void
  /** Number of running units of work, including those of revoked partitions. */
  readonly inFlight: number
  /** Number of running units of work of an assigned partition. */
  inFlightOf(partition: number): number
  /** Called with the assigned partition of every topic, before their messages are handed out. */
  assigned?(
    partition: number,
    assignments: ReadonlyMap<string, AssignedPartition>,
    control: PartitionControl,
  ): void
  revoked?(partition: number): void
  /** Called after `control.partitions` has grown. */
  partitionsAdded?(): void
  /**
   * Called with true while the partition may move to another member: start none of its work. Called
   * with false after every join that keeps it.
   */
  drain?(partition: number, isDraining: boolean): void
  /** Called before a batch is handed out that was fetched from `offset`. */
  beforeRead?(assignment: AssignedPartition, offset: number): void
  /**
   * Called after a batch was handed out, even if it had no new messages. Reading continues at
   * `position`.
   */
  afterRead?(assignment: AssignedPartition, position: number): void
  /**
   * Called when the group was joined again: the assigned partition continues at its first unread
   * offset.
   */
  sought?(assignment: AssignedPartition): void
  /** Called with a message below the commit, if `lookBack` is set. */
  finishedBefore?(message: { topic: string; partition: number; value: Buffer | null }): void
  /** Called after each commit: assigned partitions have fewer uncommitted messages. */
  committed?(): void
  /**
   * Returns the tenant whose share of the window the message uses. It must always return the same
   * tenant for a message: otherwise a waiting message would never be handed out.
   */
  tenantOf?(message: KafkaMessage): string
  /** Returns how many milliseconds pass until the work on the message may begin. Default: 0. */
  waitMs?(topic: string, message: KafkaMessage): number
  /**
   * Resolves when `tenantOf` and `waitMs` may be called, or returns undefined if it may be called already.
   * Reading pauses meanwhile.
   */
  whenTenantsKnown?(
    messages: readonly KafkaMessage[],
    lease: AbortSignal,
  ): Promise<void> | undefined
  /** True while a seek may follow soon, so that a fetch must not wait long. */
  readonly seeksSoon?: boolean
}
