import type { ChangeMessage } from '@surehook/matching/read-change'
import type { BatchProgress } from './batch-progress.ts'

/** Changes of one partition, in order within each project. */
export type ChangeBatch = {
  topic: string
  partition: number
  /** Among how many partitions its jobs are divided. */
  jobPartitions: number
  messages: readonly ChangeMessage[]
  /** Aborted if the partition may have another owner, or if the batch is divided. */
  signal: AbortSignal
  progress: Pick<BatchProgress, 'sending' | 'taken'>
}
