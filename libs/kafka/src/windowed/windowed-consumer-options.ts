import type { Metrics } from '@surehook/service-kit/telemetry/metrics'
import type { Kafka, KafkaMessage, PartitionAssigner } from 'kafkajs'
import type { Logger } from 'pino'
import type { AssignedPartition } from './assigned-partition.ts'
import type { WindowedMessage } from './windowed-message.ts'

export type WindowedConsumerOptions = {
  kafka: Kafka
  groupId: string
  topics: readonly string[]
  /** Of them those on which nothing is in a hurry. */
  seldom?: readonly string[]
  /** Per topic and partition: reading pauses above either bound and goes on below half of it. */
  window: { messages: number; bytes: number }
  /**
   * On these topics the window is shared: what a tenant has more than its share waits in the log, in
   * its order, and that of others is read meanwhile.
   */
  tenants?: {
    topics: readonly string[]
    /** It must say the same of a message each time: one that changed its tenant would not come again. */
    of: (message: KafkaMessage) => string
    /** Resolves when `of` may be asked; undefined when it may be already. Nothing is read meanwhile. */
    whenKnown?: (messages: readonly KafkaMessage[], lease: AbortSignal) => Promise<void> | undefined
  }
  /** Offered besides the own one, so that members of a version that knows only these may be in the group meanwhile. */
  olderAssignors?: readonly PartitionAssigner[]
  /** How often finished offsets are committed at most. */
  commitIntervalMs: number
  /** So many finished messages of a partition are committed sooner; 32 by default. */
  commitAtOnce?: number
  /** False while it may be soon that something is sought; true by default. */
  mayWait?: () => boolean
  /** A leaving or joining member waits this long at most for what is in flight before it lets go. */
  drainMs: number
  /**
   * On assignment so many messages of each topic below the commit are shown to `onFinishedBefore`: the newest, and of a
   * partition, over all topics, about so many bytes.
   */
  lookBack?: { topics: readonly string[]; messages: number; bytes: number }
  /** Must return at once; whatever it starts calls `finish` in the end. */
  handle: (message: WindowedMessage) => void
  onAssigned?: (partition: number, assignments: ReadonlyMap<string, AssignedPartition>) => void
  onRevoked?: (partition: number) => void
  /** A batch of an assigned partition is about to be handed out, which was asked for from `offset`. */
  onReading?: (assignment: AssignedPartition, offset: number) => void
  /** It was handed out, whether or not there was anything new in it: what comes next is read from `position`. */
  onRead?: (assignment: AssignedPartition, position: number) => void
  /** The group was joined again: the assigned partition is read on from the first offset that was never read. */
  onSought?: (assignment: AssignedPartition) => void
  /** After each commit: assigned partitions have fewer finished offsets that are not committed. */
  onCommitted?: () => void
  onFinishedBefore?: (message: { topic: string; partition: number; value: Buffer | null }) => void
  /** Units of work that have started and not ended: of a partition, or of all, lost ones included. */
  inFlight: (partition?: number) => number
  /** True while the partition may move to another member: start nothing of it. False after every join that keeps it. */
  onDrain?: (partition: number, isDraining: boolean) => void
  metrics?: Metrics | undefined
  log: Logger
}
