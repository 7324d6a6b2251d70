import type { MemoryBudget } from '@surehook/service-kit/config/memory-budget'
import type { Metrics } from '@surehook/service-kit/telemetry/metrics'
import type { Logger } from 'pino'
import type { Kafka } from '../client/surface.ts'
import type { PartitionCount } from './partition-count.ts'
import type { PartitionControl, PartitionHandler } from './partition-handler.ts'

export type WindowedConsumerOptions = {
  kafka: Kafka
  groupId: string
  topics: readonly string[]
  handler: PartitionHandler
  /** Topics that need no low latency. */
  lowTraffic?: readonly string[]
  /**
   * Limits per topic and partition: reading pauses above either one and resumes below half of it.
   */
  window: { messages: number; bytes: number }
  /** Limit for the bytes of all windows together. Default: none. */
  budget?: MemoryBudget
  /**
   * A message that waits longer according to the handler's `waitMs` stays in the log, and those
   * behind it. They are read when half of this time is left. Default: all are read at once.
   */
  aheadMs?: number
  /**
   * On these topics tenants share the window, and the handler must have `tenantOf`. Messages beyond
   * a tenant's share wait in the log in order, while those of other tenants are read.
   */
  tenantTopics?: readonly string[]
  /** Minimum milliseconds between two commits. */
  commitIntervalMs: number
  /** Number of finished messages of a partition that are committed at once. Default: 32. */
  commitAtOnce?: number
  /** Longest wait in milliseconds of a leaving or joining member for its messages in flight. */
  drainMs: number
  /**
   * On assignment, the newest messages below the commit are passed to the handler's
   * `finishedBefore`: at most `messages` per topic, and about `bytes` per partition over all topics.
   */
  lookBack?: { topics: readonly string[]; messages: number; bytes: number }
  metrics?: Metrics | undefined
  log: Logger
}

export type AssignedPartitionsOptions = WindowedConsumerOptions & {
  /** Passed to the handler with each assignment. */
  control: PartitionControl
  count: PartitionCount
}
