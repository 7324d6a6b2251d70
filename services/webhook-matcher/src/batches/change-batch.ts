import type { ChangeMessage } from '@surehook/matching/read-change'
import type { BatchProgress } from './batch-progress.ts'

/** Changes of one partition, in their order as far as they are of one project. */
export type ChangeBatch = {
  topic: string
  partition: number
  messages: readonly ChangeMessage[]
  /** Aborted when the partition may have another owner, or the batch is handled in parts. */
  signal: AbortSignal
  progress: Pick<BatchProgress, 'sending' | 'taken'>
}
