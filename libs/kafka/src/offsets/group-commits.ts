import type { Admin } from '../client/surface.ts'

export type GroupCommit = { offset: number; metadata: string | null }

/**
 * @returns a function that gives the group's commit of a partition, with offset -1 if there is none
 */
export async function fetchGroupCommits(
  admin: Pick<Admin, 'fetchOffsets'>,
  of: { groupId: string; topics: readonly string[] },
): Promise<(topic: string, partition: number) => GroupCommit> {
  const commits = await admin.fetchOffsets({ groupId: of.groupId, topics: [...of.topics] })
  return (topic, partition) => {
    const commit = commits
      .find((row) => row.topic === topic)
      ?.partitions.find((row) => row.partition === partition)
    return { offset: Number(commit?.offset ?? -1), metadata: commit?.metadata ?? null }
  }
}
