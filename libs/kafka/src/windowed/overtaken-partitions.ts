import type { Logger } from 'pino'
import type { GroupCommit } from '../offsets/group-commits.ts'
import type { AssignedPartition } from './assigned-partition.ts'

/**
 * Finds partitions that another member had in between. A member that was away for longer than its
 * session returns as a new one, and one that missed a generation keeps its id. Another member
 * commits what it finished before it releases a partition, so the commit reveals it. A partition is
 * kept only if this member itself has finished everything that the commit covers. If nobody took
 * over, nothing is repeated.
 */
export function overtakenPartitions(
  assignments: Iterable<AssignedPartition>,
  commitOf: (topic: string, partition: number) => GroupCommit,
  { log }: { log: Logger },
): Set<number> {
  const overtaken = new Set<number>()
  for (const assignment of assignments) {
    const { topic, partition, low } = assignment
    const commit = commitOf(topic, partition)
    if (assignment.covers(commit)) continue
    overtaken.add(partition)
    const { offset: committed } = commit
    log.warn({ topic, partition, low, committed }, 'consumer.overtaken')
  }
  return overtaken
}
