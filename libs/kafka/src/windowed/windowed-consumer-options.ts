import type { Metrics } from '@surehook/service-kit/telemetry/metrics'
import type { Logger } from 'pino'
import type { Kafka, KafkaMessage } from '../client/surface.ts'
import type { AssignedPartition } from './assigned-partition.ts'
import type { WindowedMessage } from './windowed-message.ts'

export type WindowedConsumerOptions = {
  kafka: Kafka
  groupId: string
  topics: readonly string[]
  /** Topics that need no low latency. */
  lowTraffic?: readonly string[]
  /**
   * Limits per topic and partition: reading pauses above either one and resumes below half of it.
   */
  window: { messages: number; bytes: number }
  /**
   * On these topics tenants share the window. Messages beyond a tenant's share wait in the log in
   * order, while those of other tenants are read.
   */
  tenants?: {
    topics: readonly string[]
    /**
     * Must always return the same tenant for a message: otherwise a waiting message would never be
     * handed out.
     */
    of: (message: KafkaMessage) => string
    /**
     * Resolves when `of` may be called, or returns undefined if it may be called already. Reading
     * pauses meanwhile.
     */
    whenKnown?: (messages: readonly KafkaMessage[], lease: AbortSignal) => Promise<void> | undefined
  }
  /** True if members of earlier versions, which know only this assigner, may be in the group. */
  alsoRoundRobin?: boolean
  /** Minimum milliseconds between two commits. */
  commitIntervalMs: number
  /** Number of finished messages of a partition that are committed at once. Default: 32. */
  commitAtOnce?: number
  /** False while a seek may follow soon. Default: true. */
  mayWait?: () => boolean
  /** Longest wait in milliseconds of a leaving or joining member for its messages in flight. */
  drainMs: number
  /**
   * On assignment, the newest messages below the commit are passed to `onFinishedBefore`: at most
   * `messages` per topic, and about `bytes` per partition over all topics.
   */
  lookBack?: { topics: readonly string[]; messages: number; bytes: number }
  /** Must return at once. The work that it starts must finally call `finish`. */
  handle: (message: WindowedMessage) => void
  onAssigned?: (partition: number, assignments: ReadonlyMap<string, AssignedPartition>) => void
  onRevoked?: (partition: number) => void
  /**
   * Called before a batch of an assigned partition is handed out. `offset` is the fetched offset.
   */
  onReading?: (assignment: AssignedPartition, offset: number) => void
  /**
   * Called after a batch was handed out, even if it had no new messages. Reading continues at
   * `position`.
   */
  onRead?: (assignment: AssignedPartition, position: number) => void
  /**
   * Called when the group was joined again: the assigned partition continues at its first unread
   * offset.
   */
  onSought?: (assignment: AssignedPartition) => void
  /** Called after each commit: assigned partitions have fewer uncommitted messages. */
  onCommitted?: () => void
  onFinishedBefore?: (message: { topic: string; partition: number; value: Buffer | null }) => void
  /** Number of running units of work, of one partition or of all, including lost ones. */
  inFlight: (partition?: number) => number
  /**
   * Called with true while the partition may move to another member: start none of its work. Called
   * with false after every join that keeps it.
   */
  onDrain?: (partition: number, isDraining: boolean) => void
  metrics?: Metrics | undefined
  log: Logger
}
